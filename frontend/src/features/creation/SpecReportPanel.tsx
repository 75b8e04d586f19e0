import type { Forecast, Problem } from "@/api/types"
import { formatBytes, formatCount } from "@/lib/format"
import { Figure } from "@/ui/Figure"
import { Icon } from "@/ui/Icon"

export function ForecastFigures({ forecast }: { forecast: Forecast }) {
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
      <Figure label="Replay memory" note="at most, per run" value={formatBytes(forecast.replay_bytes)} />
    </dl>
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
