import type { ReactNode } from "react"
import type { Run } from "@/api/types"
import { isActive } from "@/api/types"
import { RunResult } from "@/features/experiment/RunResult"
import {
  formatAge,
  formatCount,
  formatDuration,
  formatInteger,
  formatPercent,
  formatValue,
} from "@/lib/format"
import { shownStatus } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Figure } from "@/ui/Figure"
import { Icon } from "@/ui/Icon"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"

/** Why a run finished before its steps were done. */
const END_REASONS = {
  seconds: "Time used up",
  target_return: "Target return reached",
  plateau: "Return no longer rose",
}

interface RunSummaryProps {
  run: Run
  connected: boolean
  /** It was trained elsewhere: neither progress nor speed nor worker of it is known. */
  imported?: boolean
  /** What can be done with this run alone. */
  actions?: ReactNode
}

/** Summary of a run: status, progress, result, speed, best return, and how it is executed. */
export function RunSummary({ run, connected, imported = false, actions }: RunSummaryProps) {
  const share = run.step / Math.max(1, run.total_steps)
  return (
    <section
      aria-label="Run"
      className="rounded-card border border-line bg-surface px-4 py-4 shadow-card sm:px-5"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <StatusChip status={shownStatus({ ...run, imported })} testId="run-status" />
        {run.end_reason && run.end_reason !== "budget" && (
          <span className="text-[13px] text-ink-soft">{END_REASONS[run.end_reason]}</span>
        )}
        {!imported && (
          <div className="flex min-w-44 grow basis-56 items-center gap-3">
            <Progress
              className="grow"
              label="Progress of the run"
              share={share}
              tone={run.status === "failed" ? "bad" : "accent"}
            />
            <span className="numeric w-10 text-right font-medium">{formatPercent(share)}</span>
          </div>
        )}
        {!connected && (
          <span className="inline-flex items-center gap-1.5 text-[13px] text-warn" role="status">
            <Icon name="retry" size={14} />
            Live connection lost, reconnecting…
          </span>
        )}
        {actions}
      </div>
      <RunResult imported={imported} run={run} />
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        <Figure
          label="Steps per member"
          note={imported ? `seed ${run.seed}` : `of ${formatInteger(run.total_steps)}`}
          value={formatInteger(run.step)}
        />
        <Returns run={run} />
        {!imported && <Execution run={run} />}
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

function Execution({ run }: { run: Run }) {
  return (
    <>
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
    </>
  )
}

/** What evaluations in training said; the result of a finished run stands above it. */
function Returns({ run }: { run: Run }) {
  const median = `median ${formatValue(run.median_return)}`
  if (run.final)
    return (
      <Figure
        label="Last evaluation"
        note={median}
        title="Return of the best member at the last evaluation in training, and the median over all"
        value={formatValue(run.last_return)}
      />
    )
  return (
    <Figure
      label={isActive(run.status) ? "Best so far" : "Best during training"}
      note={`last ${median}`}
      title="Best return of any member at any evaluation, and the median over all at the last one"
      value={formatValue(run.best_return)}
    />
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
  // Only attempts since the last progress count towards the limit, and none that a worker handed back in order.
  return run.attempt > 1
    ? `attempt ${run.attempt} (${run.attempts} of ${run.max_attempts} used), ${seed}`
    : seed
}
