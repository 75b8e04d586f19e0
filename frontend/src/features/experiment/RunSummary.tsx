import type { Run } from "@/api/types"
import { isActive } from "@/api/types"
import {
  formatAge,
  formatCount,
  formatDuration,
  formatInteger,
  formatPercent,
  formatValue,
} from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Figure } from "@/ui/Figure"
import { Icon } from "@/ui/Icon"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"

interface RunSummaryProps {
  run: Run
  connected: boolean
}

/** Summary of a run: status, progress, speed, best return, and how it is executed. */
export function RunSummary({ run, connected }: RunSummaryProps) {
  const share = run.step / Math.max(1, run.total_steps)
  return (
    <section
      aria-label="Run"
      className="rounded-card border border-line bg-surface px-4 py-4 shadow-card sm:px-5"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <StatusChip status={run.status} testId="run-status" />
        <div className="flex min-w-44 grow basis-56 items-center gap-3">
          <Progress
            className="grow"
            label="Progress of the run"
            share={share}
            tone={run.status === "failed" ? "bad" : "accent"}
          />
          <span className="numeric w-10 text-right font-medium">{formatPercent(share)}</span>
        </div>
        {!connected && (
          <span className="inline-flex items-center gap-1.5 text-[13px] text-warn" role="status">
            <Icon name="retry" size={14} />
            Live connection lost, reconnecting…
          </span>
        )}
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        <Figure
          label="Steps per member"
          note={`of ${formatInteger(run.total_steps)}`}
          value={formatInteger(run.step)}
        />
        <Figure
          label="Best return"
          note={`last median ${formatValue(run.median_return)}`}
          value={formatValue(run.best_return)}
        />
        <Figure label="Speed" note="member-steps/s" value={formatCount(run.env_steps_per_second)} />
        <Time run={run} />
        <Figure
          label="Strategy"
          note={run.devices.join(", ") || "not started"}
          title={run.devices.join(", ")}
          value={run.strategy ?? "–"}
        />
        <Figure
          label="Worker"
          note={attemptNote(run)}
          title={run.worker_name ?? undefined}
          value={run.worker_name ?? "–"}
        />
      </dl>
      {run.strategy_explanation && (
        <p className="mt-3 flex gap-2 border-line border-t pt-3 text-[13px] text-ink-soft">
          <span className="mt-0.5 text-ink-faint">
            <Icon name="info" size={14} />
          </span>
          {run.strategy_explanation}
        </p>
      )}
    </section>
  )
}

function Time({ run }: { run: Run }) {
  const now = useNow(1000)
  if (run.started_at === null)
    return (
      <Figure
        label="Waiting"
        note="for a worker"
        value={formatDuration((now - Date.parse(run.created_at)) / 1000)}
      />
    )
  const end = run.finished_at === null ? now : Date.parse(run.finished_at)
  const taken = formatDuration((end - Date.parse(run.started_at)) / 1000)
  if (isActive(run.status))
    return <Figure label="Time left" note={`${taken} so far`} value={formatDuration(run.eta_seconds)} />
  return <Figure label="Time taken" note={formatAge(run.finished_at, now)} value={taken} />
}

function attemptNote(run: Run): string {
  const seed = `seed ${run.seed}`
  // Attempts that a worker handed back in order do not count towards the limit.
  return run.attempt > 1
    ? `attempt ${run.attempt} (${run.attempts} of ${run.max_attempts} used), ${seed}`
    : seed
}
