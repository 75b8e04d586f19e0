import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { type Project, projectsQuery } from "@/api/accounts"
import { createProject } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { ROW, Rows } from "@/features/settings/Rows"
import { ADMIN_ONLY } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Panel } from "@/ui/Panel"
import { Tag } from "@/ui/StatusChip"

/** What people share: experiments, and a part of the queue. */
export function ProjectsSection() {
  const me = useMe()
  const projects = useQuery(projectsQuery)
  return (
    <>
      <NewProject reason={me?.is_admin ? null : ADMIN_ONLY} />
      <Panel
        flush
        hint={me?.is_admin ? "All projects of the service" : "Those to which you belong"}
        title="Projects"
      >
        <Rows
          empty="You belong to no project yet"
          hint="Ask an admin to add you to one."
          icon="people"
          noun="projects"
          query={projects}
        >
          {(project) => <ProjectRow key={project.id} project={project} />}
        </Rows>
      </Panel>
    </>
  )
}

function ProjectRow({ project }: { project: Project }) {
  const { id, name, role, weight, max_running, weekly_device_hours } = project
  const share = [
    `weight ${weight}`,
    max_running !== null && `at most ${max_running} devices at once`,
    weekly_device_hours !== null && `${weekly_device_hours} device-hours a week`,
  ]
  return (
    <li className={ROW}>
      <div className="min-w-0 grow">
        <p className="flex items-center gap-2">
          <Link
            className="min-w-0 truncate rounded font-medium text-accent hover:underline"
            params={{ id }}
            to="/settings/projects/$id"
          >
            {name}
          </Link>
          {role && <Tag>{role}</Tag>}
        </p>
        <p className="truncate text-[13px] text-ink-faint">{share.filter(Boolean).join(" · ")}</p>
      </div>
    </li>
  )
}

function NewProject({ reason }: { reason: string | null }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState("")
  const create = useMutation({
    mutationFn: () => createProject({ body: { name }, throwOnError: true }),
    onSuccess: () => {
      setName("")
      void queryClient.invalidateQueries({ queryKey: ["projects"] })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!reason) create.mutate()
  }

  return (
    <Panel hint="Its members see the same experiments and share a part of the queue" title="New project">
      <form className="space-y-3 pt-1" onSubmit={submit}>
        <FormError error={create.error} />
        <div className="flex flex-wrap items-end gap-3">
          <Field
            className="min-w-56 grow"
            label="Name"
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
            pattern=".*\S.*"
            required
            value={name}
          />
          <Button
            busy={create.isPending}
            className="h-10"
            icon="plus"
            reason={reason}
            type="submit"
            variant="primary"
          >
            Create
          </Button>
        </div>
      </form>
    </Panel>
  )
}
