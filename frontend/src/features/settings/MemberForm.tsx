import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { type Member, peopleQuery, Role } from "@/api/accounts"
import { setMember } from "@/api/generated/sdk.gen"
import { RoleSelect } from "@/features/settings/RoleSelect"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"

/** Adds someone who has an account; the addresses that one knows are proposed. */
export function MemberForm({ project, members }: { project: number; members: readonly Member[] }) {
  const queryClient = useQueryClient()
  const people = useQuery(peopleQuery).data ?? []
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>(Role.MEMBER)
  const add = useMutation({
    mutationFn: () => setMember({ path: { id: project }, body: { email, role }, throwOnError: true }),
    onSuccess: () => {
      setEmail("")
      for (const key of ["projects", "me"]) void queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
  const known = new Set(members.map(({ id }) => id))

  function submit(event: FormEvent) {
    event.preventDefault()
    add.mutate()
  }

  return (
    <form className="space-y-3 border-line border-t p-4 sm:px-5" onSubmit={submit}>
      <FormError error={add.error} />
      <div className="flex flex-wrap items-end gap-3">
        <Field
          autoComplete="off"
          className="min-w-56 grow"
          label="Add someone who has an account"
          list="known-people"
          onChange={(event) => setEmail(event.target.value)}
          placeholder="E-mail address"
          required
          type="email"
          value={email}
        />
        <datalist id="known-people">
          {people
            .filter(({ id, disabled_at }) => !known.has(id) && disabled_at === null)
            .map((person) => (
              <option key={person.id} value={person.email}>
                {person.name}
              </option>
            ))}
        </datalist>
        <RoleSelect className="[&>select]:h-10" label="Role" onChange={setRole} value={role} />
        <Button busy={add.isPending} className="h-10" icon="plus" type="submit">
          Add
        </Button>
      </div>
    </form>
  )
}
