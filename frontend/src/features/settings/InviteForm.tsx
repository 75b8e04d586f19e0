import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { projectsQuery, Role } from "@/api/accounts"
import { createInvitation } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { RoleSelect } from "@/features/settings/RoleSelect"
import { isProjectAdmin } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { ShownOnce } from "@/ui/ShownOnce"

/** Makes a link for one person. Phylon sends no mail, so it is handed over by hand. */
export function InviteForm() {
  const me = useMe()
  const queryClient = useQueryClient()
  const projects = useQuery(projectsQuery).data?.filter(({ id }) => isProjectAdmin(me, id)) ?? []
  const [email, setEmail] = useState("")
  const [chosen, setChosen] = useState("")
  const [role, setRole] = useState<Role>(Role.MEMBER)
  const project = chosen || projects[0]?.name || ""
  const invite = useMutation({
    mutationFn: async () =>
      (await createInvitation({ body: { email, project, role }, throwOnError: true })).data,
    onSuccess: () => {
      setEmail("")
      void queryClient.invalidateQueries({ queryKey: ["invitations"] })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    invite.mutate()
  }

  if (me && !me.is_admin && !me.projects.some(({ role: own }) => own === "admin"))
    return (
      <Panel title="Invite someone">
        <p className="text-ink-soft">Admins of a project can invite people to it. Ask one of yours.</p>
      </Panel>
    )
  return (
    <Panel
      hint="Makes a link that you hand over yourself; it works once, within 72 hours"
      title="Invite someone"
    >
      {invite.data ? (
        <ShownOnce
          note={`Hand it to ${invite.data.email} alone: the first to open it chooses the password.`}
          onDone={() => invite.reset()}
          text={invite.data.link}
          title={`The invitation of ${invite.data.email}`}
        />
      ) : (
        <form className="space-y-4 pt-1" onSubmit={submit}>
          <FormError error={invite.error} />
          <div className="flex flex-wrap items-end gap-3">
            <Field
              autoComplete="off"
              className="min-w-56 grow"
              label="E-mail address"
              onChange={(event) => setEmail(event.target.value)}
              required
              type="email"
              value={email}
            />
            <Select
              aria-label="Project"
              className="[&>select]:h-10"
              onChange={(event) => setChosen(event.target.value)}
              value={project}
            >
              {projects.map(({ id, name }) => (
                <option key={id}>{name}</option>
              ))}
            </Select>
            <RoleSelect className="[&>select]:h-10" label="Role" onChange={setRole} value={role} />
            <Button busy={invite.isPending} className="h-10" icon="plus" type="submit" variant="primary">
              Invite
            </Button>
          </div>
        </form>
      )}
    </Panel>
  )
}
