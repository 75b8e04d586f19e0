import type { Advice, Forecast, Problem, SpecNote } from "@/api/types"
import { millisecondsOf, updatesOf } from "@/lib/advice"
import { formatBytes, formatCount, formatDuration } from "@/lib/format"
import { classes } from "@/ui/classes"
import { Figure } from "@/ui/Figure"
import { Icon } from "@/ui/Icon"
import { Empty } from "@/ui/States"
import { YamlEditor } from "@/ui/YamlEditor"

interface ForecastFiguresProps {
  forecast: Forecast
  /** Of one experiment; none for a group. */
  spec: Record<string, unknown> | null
  /** What is known of the workers' memory and speed, as soon as it is. */
  advice: Advice | undefined
}

export function ForecastFigures({ forecast, spec, advice }: ForecastFiguresProps) {
  const updates = updatesOf(spec)
  const measured = advice?.workers.find(({ speed }) => speed !== null)
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-[repeat(auto-fit,minmax(120px,1fr))]">
      {forecast.experiments !== null && (
        <Figure label="Experiments" note="submitted together" value={formatCount(forecast.experiments)} />
      )}
      <Figure label="Members" note="per population" value={formatCount(forecast.members)} />
      <Figure label="Runs" note="independent populations" value={formatCount(forecast.runs)} />
      <Figure
        label="Environment steps"
        note="all members, all runs"
        value={formatCount(forecast.total_env_steps)}
      />
      {updates !== null && (
        <Figure
          label="Time of updates"
          note={measured ? `per run on ${measured.worker_name}` : "no study has measured it"}
          title="Gradient updates alone: environments and evaluations come on top"
          value={formatDuration(
            measured?.speed && (updates * millisecondsOf(measured.speed, forecast.members)) / 1000,
          )}
        />
      )}
      <Figure label="Replay memory" note="at most, per run" value={formatBytes(forecast.replay_bytes)} />
      <Figure
        label="Disk"
        note={`at most, ${forecast.checkpoints_kept} checkpoints per run`}
        value={formatBytes(forecast.disk_bytes)}
      />
    </dl>
  )
}

interface ResolvedSpecProps {
  /** Absent while the spec has problems. */
  yaml: string | null | undefined
  notes: readonly SpecNote[]
  className: string
}

/** The complete spec that will run, and what was filled in or moved to get there. */
export function ResolvedSpec({ yaml, notes, className }: ResolvedSpecProps) {
  if (!yaml) {
    return (
      <div className={classes("flex items-center justify-center", className)}>
        <Empty title="Not resolved yet">The complete spec appears here once the written one is valid.</Empty>
      </div>
    )
  }
  return (
    <div className={classes("grid overflow-hidden", notes.length > 0 && "lg:grid-cols-[3fr_2fr]", className)}>
      <YamlEditor className="min-h-0 overflow-hidden" label="Resolved spec in YAML" value={yaml} />
      {notes.length > 0 && (
        <ul
          aria-label="Notes"
          className="min-h-0 divide-y divide-line overflow-y-auto border-line border-t px-4 py-1 text-[13px] lg:border-t-0 lg:border-l"
        >
          {notes.map(({ path, message }) => (
            <li className="py-2" key={`${path}:${message}`}>
              <code className="break-all font-semibold">{path || "spec"}</code>
              <p className="text-ink-soft">{message}</p>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface ProblemListProps {
  problems: readonly { problem: Problem; line: number }[]
}

export function ProblemList({ problems }: ProblemListProps) {
  return (
    <ul aria-label="Problems" className="divide-y divide-line">
      {problems.map(({ problem, line }) => (
        <li className="flex gap-3 py-3 first:pt-0 last:pb-0" key={`${problem.path}:${problem.message}`}>
          <span className="mt-0.5 text-bad">
            <Icon name="alert" />
          </span>
          <div className="min-w-0 grow">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <code className="break-all font-semibold">{problem.path || "spec"}</code>
              <span className="numeric text-[12px] text-ink-faint">line {line}</span>
            </p>
            <p>
              {problem.message}
              {hasValue(problem.value) && (
                <>
                  {" "}
                  <span className="text-ink-faint">(given: </span>
                  <code className="break-all">{shorten(problem.value)}</code>
                  <span className="text-ink-faint">)</span>
                </>
              )}
            </p>
            <p className="text-ink-soft">{problem.remedy}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
