import { Role } from "@/api/accounts"
import { Select } from "@/ui/Select"

const MEANINGS: Record<Role, string> = {
  viewer: "sees everything of the project",
  member: "also submits, and changes what is their own",
  admin: "also changes what is others', invites people and sets roles",
}

interface RoleSelectProps {
  label: string
  value: Role
  onChange: (role: Role) => void
  className?: string
}

export function RoleSelect({ label, value, onChange, className }: RoleSelectProps) {
  return (
    <Select
      aria-label={label}
      className={className}
      onChange={(event) => onChange(event.target.value as Role)}
      title={MEANINGS[value]}
      value={value}
    >
      {Object.values(Role).map((role) => (
        <option key={role} title={MEANINGS[role]}>
          {role}
        </option>
      ))}
    </Select>
  )
}
