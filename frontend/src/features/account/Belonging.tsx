import { useMe } from "@/features/account/useMe"

interface BelongingProps {
  owner: { id: number; name: string }
  project: { id: number; name: string }
}

/** To whom something belongs, in a line of small facts. Where there are no accounts, everything is one's own. */
export function Belonging({ owner, project }: BelongingProps) {
  const me = useMe()
  if (!me?.has_accounts) return null
  return <span>{`${owner.id === me.id ? "yours" : owner.name} · project ${project.name}`}</span>
}
