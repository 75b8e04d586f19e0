import { getRouteApi, Link } from "@tanstack/react-router"
import type { ImportSource } from "@/api/generated/types.gen"
import { type Experiment, isActive, type Run } from "@/api/types"
import { Belonging } from "@/features/account/Belonging"
import { DeleteExperiment } from "@/features/experiment/DeleteExperiment"
import { ExportMenu } from "@/features/experiment/ExportMenu"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { formatAge, formatValue } from "@/lib/format"
import { shownStatus, verbsOfAll } from "@/lib/lifecycle"
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
          <Link className="rounded hover:text-ink hover:underline" to="/experiments">
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
        {experiment.imported && <ImportNote source={experiment.imported} />}
        <p className="text-[13px] text-ink-faint">
          <Belonging owner={experiment.owner} project={experiment.project} />
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {experiment.runs.length > 1 && <ReplicateSwitch experiment={experiment} run={run} />}
        <ExportMenu run={run} />
        {!experiment.imported && (
          <>
            <Link className={buttonStyle("ghost")} search={{ from: experiment.id }} to="/new">
              <Icon name="template" />
              Use as template
            </Link>
            <VerbButtons
              owned={experiment}
              run={run.id}
              scope={experiment.runs.length > 1 ? "all" : undefined}
              target={{ kind: "experiment", id: experiment.id, name: experiment.name }}
              verbs={verbsOfAll(experiment.runs)}
            />
          </>
        )}
        {!isActive(experiment.status) && <DeleteExperiment experiment={experiment} />}
      </div>
    </div>
  )
}

const FORMATS: Record<ImportSource["format"], string> = {
  csv: "CSV",
  sr_sac: "SR-SAC's text files",
  ray: "Ray Tune",
  tensorboard: "TensorBoard",
}

function ImportNote({ source }: { source: ImportSource }) {
  return (
    <p className="mt-1 break-words text-[13px] text-ink-soft" data-testid="import-note">
      {`Imported from ${FORMATS[source.format]}: ${source.source}. The return is what the files call `}
      <code>{source.return_name}</code>. It was not trained here, so it can be organised and compared, nothing
      else.
    </p>
  )
}

function resultOf({ final, last_return }: Run): string {
  return final === null ? `last ${formatValue(last_return)}` : `final ${formatValue(final.mean)}`
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
          {experiment.imported
            ? `Seed ${each.seed} · ${resultOf(each)}`
            : `Replicate ${each.replicate} · ${statusLabel(shownStatus(each)).toLowerCase()} · ${resultOf(each)}`}
        </option>
      ))}
    </Select>
  )
}
