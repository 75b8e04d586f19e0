/** What can be done with work in each status: one verb for one meaning, the same for runs, studies and all their groups. */

export type Verb = "stop" | "pause" | "resume" | "retry" | "extend"

interface Work {
  status: string
  is_pausing?: boolean
  /** Whether, and from which format, it was imported. */
  imported?: unknown
}

const FITTING: Record<string, readonly Verb[]> = {
  queued: ["pause", "stop"],
  dispatched: ["pause", "stop"],
  running: ["pause", "stop"],
  paused: ["resume", "stop"],
  stopped: ["resume", "extend"],
  failed: ["retry"],
  finished: ["extend"],
}

/** In the order in which they are offered. */
const ORDER: readonly Verb[] = ["retry", "resume", "extend", "pause", "stop"]

export function verbsOf({ status, is_pausing = false }: Work): readonly Verb[] {
  if (is_pausing && status === "running") return ["resume", "stop"]
  return FITTING[status] ?? []
}

/** Of several: each that fits one of them. They are extended together or not at all, so that replicates stay alike. */
export function verbsOfAll(works: readonly Work[]): Verb[] {
  const fitting = works.map(verbsOf)
  return ORDER.filter((verb) =>
    verb === "extend"
      ? works.length > 0 && fitting.every((verbs) => verbs.includes(verb))
      : fitting.some((verbs) => verbs.includes(verb)),
  )
}

/** How a status is shown: one that is about to pause still runs, and what was trained elsewhere never did here. */
export function shownStatus({ status, is_pausing = false, imported }: Work): string {
  if (imported) return "imported"
  return is_pausing && status === "running" ? "pausing" : status
}

/** How an attempt ended, in words. */
export const ENDS: Record<string, { label: string; tone: "good" | "neutral" | "bad" | "warn" }> = {
  finished: { label: "Finished", tone: "good" },
  stopped: { label: "Stopped", tone: "neutral" },
  failed: { label: "Failed", tone: "bad" },
  crashed: { label: "Crashed", tone: "bad" },
  lost: { label: "Worker lost", tone: "bad" },
  worker_shutdown: { label: "Worker left in order", tone: "neutral" },
  yielded: { label: "Handed back", tone: "neutral" },
  low_disk: { label: "Worker's disk was full", tone: "warn" },
  incomplete: { label: "Not all hosts came", tone: "warn" },
}
