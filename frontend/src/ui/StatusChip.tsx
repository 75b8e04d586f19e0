import { classes } from "@/ui/classes"

type Tone = "active" | "waiting" | "good" | "neutral" | "bad" | "warn"

const TONES: Record<Tone, string> = {
  active: "bg-accent-soft text-accent-strong",
  waiting: "bg-info-soft text-info",
  good: "bg-good-soft text-good",
  neutral: "bg-sunken text-ink-soft",
  bad: "bg-bad-soft text-bad",
  warn: "bg-warn-soft text-warn",
}

const STATUSES: Record<string, { tone: Tone; label: string }> = {
  running: { tone: "active", label: "Running" },
  stopping: { tone: "warn", label: "Stopping" },
  queued: { tone: "waiting", label: "Queued" },
  dispatched: { tone: "waiting", label: "Starting" },
  pausing: { tone: "warn", label: "Pausing" },
  paused: { tone: "neutral", label: "Paused" },
  finished: { tone: "good", label: "Finished" },
  stopped: { tone: "neutral", label: "Stopped" },
  failed: { tone: "bad", label: "Failed" },
  imported: { tone: "neutral", label: "Imported" },
  idle: { tone: "good", label: "Idle" },
  busy: { tone: "active", label: "Busy" },
  draining: { tone: "warn", label: "Draining" },
  quarantined: { tone: "bad", label: "Quarantined" },
  lost: { tone: "bad", label: "Lost" },
}

export function statusLabel(status: string): string {
  return STATUSES[status]?.label ?? status
}

/** The state of a run, an experiment or a worker, in a word and a colour. */
export function StatusChip({ status, testId }: { status: string; testId?: string }) {
  const tone = STATUSES[status]?.tone ?? "neutral"
  const moving = ["running", "busy", "stopping", "pausing", "dispatched"].includes(status)
  return (
    <span
      className={classes(
        "inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-full px-2.5 font-medium text-xs",
        TONES[tone],
      )}
      data-status={status}
      data-testid={testId}
    >
      <span className={classes("size-1.5 rounded-full bg-current", moving && "breathing")} />
      {statusLabel(status)}
    </span>
  )
}

/** A short neutral fact, such as "smoke". */
export function Tag({ children, tone = "neutral" }: { children: string; tone?: Tone }) {
  return (
    <span
      className={classes(
        "inline-flex h-5 items-center rounded-md px-1.5 font-medium text-[11px]",
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}
