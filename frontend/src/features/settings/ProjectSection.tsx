import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { type Member, membersQuery, projectsQuery } from "@/api/accounts"
import { removeMember, setMember } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { MemberForm } from "@/features/settings/MemberForm"
import { ProjectShareForm } from "@/features/settings/ProjectShareForm"
import { RoleSelect } from "@/features/settings/RoleSelect"
import { ROW, Rows } from "@/features/settings/Rows"
import { useChange } from "@/features/settings/useChange"
import { isProjectAdmin } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"
import { Tag } from "@/ui/StatusChip"

const route = getRouteApi("/settings/projects/$id")

/** One project: who belongs to it, and its part of the queue. */
export function ProjectSection() {
  const { id } = route.useParams()
  const me = useMe()
  const projects = useQuery(projectsQuery)
  const members = useQuery(membersQuery(id))
  const project = projects.data?.find((each) => each.id === id)
  if (projects.isPending) return <Loading label="Loading the project" />
  if (!projects.data)
    return (
      <Failure
        error={projects.error}
        onRetry={() => projects.refetch()}
        title="The project could not be loaded"
      />
    )
  if (!project) return <Empty title="There is no such project, or it is not yours" />
  const mayManage = isProjectAdmin(me, id)
  return (
    <>
      <nav aria-label="Breadcrumb" className="text-[13px] text-ink-faint">
        <Link className="rounded hover:text-ink hover:underline" to="/settings/projects">
          Projects
        </Link>
        <span className="px-1.5">/</span>
        {project.name}
      </nav>
      <Panel flush hint="Who belongs to it, and what they may do" title={`Members of ${project.name}`}>
        <Rows
          empty="Nobody belongs to it"
          hint="Add somebody below, or invite someone who has no account yet under People."
          icon="people"
          noun="members"
          query={members}
        >
          {(member) => <MemberRow key={member.id} mayManage={mayManage} member={member} project={project} />}
        </Rows>
        {mayManage && <MemberForm members={members.data ?? []} project={id} />}
      </Panel>
      <ProjectShareForm key={JSON.stringify(project)} project={project} />
    </>
  )
}

interface MemberRowProps {
  member: Member
  project: { id: number; name: string }
  mayManage: boolean
}

function MemberRow({ member, project, mayManage }: MemberRowProps) {
  const { id } = project
  const keys = ["projects", "me", "people"]
  const change = useChange(
    (role: Member["role"]) =>
      setMember({ path: { id }, body: { email: member.email, role }, throwOnError: true }),
    keys,
    "The role could not be changed",
  )
  const remove = useChange(
    () => removeMember({ path: { id, person: member.id }, throwOnError: true }),
    keys,
    `${member.name} could not be removed`,
  )
  return (
    <li className={ROW}>
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{member.name}</p>
        <p className="truncate text-[13px] text-ink-faint">{member.email}</p>
      </div>
      {mayManage ? (
        <>
          <RoleSelect label={`Role of ${member.name}`} onChange={change.mutate} value={member.role} />
          <ConfirmDialog
            confirm="Remove"
            onConfirm={() => remove.mutate(undefined)}
            title={`Remove ${member.name} from ${project.name}?`}
            trigger={
              <Button
                aria-label={`Remove ${member.name}`}
                busy={remove.isPending}
                icon="trash"
                size="small"
                variant="ghost"
              >
                Remove
              </Button>
            }
          >
            They no longer see anything of the project. What they own stays in it.
          </ConfirmDialog>
        </>
      ) : (
        <Tag>{member.role}</Tag>
      )}
    </li>
  )
}
