import { Link } from "@tanstack/react-router"
import { ExperimentStatus, type Group, isActive } from "@/api/types"
import { Belonging } from "@/features/account/Belonging"
import { DeleteGroup } from "@/features/group/DeleteGroup"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { formatAge, formatPercent } from "@/lib/format"
import { verbsOfAll } from "@/lib/lifecycle"
import { saveText } from "@/lib/saveText"
import { useNow } from "@/lib/useNow"
import { Button, buttonStyle } from "@/ui/Button"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"

/** The group's name, its progress, and its actions. */
export function GroupHeader({ group }: { group: Group }) {
  const now = useNow()
  const counted = Object.values(ExperimentStatus).filter((status) => group.counts[status])
  return (
    <div className="space-y-4">
      <title>{`${group.name} · Phylon`}</title>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-5xl">
          <nav aria-label="Breadcrumb" className="text-[13px] text-ink-faint">
            <Link className="rounded hover:text-ink hover:underline" to="/experiments">
              Experiments
            </Link>
            <span className="px-1.5">/</span>
            <span className="numeric">{`group ${group.id}`}</span>
          </nav>
          <h1 className="break-words font-semibold text-[22px] leading-8 tracking-tight">{group.name}</h1>
          <p className="text-pretty text-ink-soft">
            {group.description || `Created ${formatAge(group.created_at, now)}`}
          </p>
          <p className="text-[13px] text-ink-faint">
            <Belonging owner={group.owner} project={group.project} />
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button icon="download" onClick={() => saveText(`${group.name}.yaml`, group.yaml)} variant="ghost">
            Download spec
          </Button>
          {group.size > 0 && (
            <Link className={buttonStyle("secondary")} search={{ groups: [group.id] }} to="/compare">
              Compare
            </Link>
          )}
          <VerbButtons
            owned={group}
            scope="all"
            target={{ kind: "group", id: group.id, name: group.name }}
            verbs={verbsOfAll(counted.map((status) => ({ status })))}
          />
          {!isActive(group.status ?? "") && <DeleteGroup group={group} />}
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ul aria-label="Experiments by state" className="flex flex-wrap gap-3">
          {counted.map((status) => (
            <li className="flex items-center gap-1.5" key={status}>
              <span className="numeric font-semibold">{group.counts[status]}</span>
              <StatusChip status={status} />
            </li>
          ))}
        </ul>
        <Progress className="min-w-32 grow" label="Progress of the group" share={group.progress} />
        <span className="numeric text-[13px] text-ink-soft">{formatPercent(group.progress)}</span>
      </div>
    </div>
  )
}
