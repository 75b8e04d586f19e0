import { getRouteApi, Link } from "@tanstack/react-router"
import { type Experiment, isActive, type Run } from "@/api/types"
import { DeleteButton, StopButton } from "@/features/experiment/ExperimentActions"
import { ExportMenu } from "@/features/experiment/ExportMenu"
import { formatAge, formatValue } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Select } from "@/ui/Select"
import { statusLabel } from "@/ui/StatusChip"

const route = getRouteApi("/experiments/$id")

interface HeaderProps {
  experiment: Experiment
  run: Run
}

/** The experiment's name and what can be done with it. */
export function ExperimentHeader({ experiment, run }: HeaderProps) {
  const now = useNow()
  const description = typeof experiment.spec.description === "string" ? experiment.spec.description : ""
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <title>{`${experiment.name} · Phylon`}</title>
      <div className="min-w-0 max-w-5xl">
        <nav aria-label="Breadcrumb" className="text-[13px] text-ink-faint">
          <Link className="rounded hover:text-ink hover:underline" to="/">
            Experiments
          </Link>
          <span className="px-1.5">/</span>
          {experiment.group && (
            <>
              <Link
                className="rounded hover:text-ink hover:underline"
                params={{ id: experiment.group.id }}
                to="/groups/$id"
              >
                {experiment.group.name}
              </Link>
              <span className="px-1.5">/</span>
            </>
          )}
          <span className="numeric">{experiment.id}</span>
        </nav>
        <h1 className="break-words font-semibold text-[22px] leading-8 tracking-tight">{experiment.name}</h1>
        <p className="text-pretty text-ink-soft">
          {description || `Created ${formatAge(experiment.created_at, now)}`}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {experiment.runs.length > 1 && <ReplicateSwitch experiment={experiment} run={run} />}
        <ExportMenu run={run} />
        <Link className={buttonStyle("ghost")} search={{ from: experiment.id }} to="/new">
          <Icon name="template" />
          Use as template
        </Link>
        {isActive(experiment.status) ? (
          <StopButton experiment={experiment} />
        ) : (
          <DeleteButton experiment={experiment} />
        )}
      </div>
    </div>
  )
}

function ReplicateSwitch({ experiment, run }: HeaderProps) {
  const navigate = route.useNavigate()
  return (
    <Select
      aria-label="Replicate"
      onChange={(event) =>
        navigate({ search: (old) => ({ ...old, run: Number(event.target.value), span: undefined }) })
      }
      value={run.id}
    >
      {experiment.runs.map((each) => (
        <option key={each.id} value={each.id}>
          {`Replicate ${each.replicate} · ${statusLabel(each.status).toLowerCase()} · best ${formatValue(each.best_return)}`}
        </option>
      ))}
    </Select>
  )
}
