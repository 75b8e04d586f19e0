/** The state of a run on its page: a snapshot loaded by REST, kept up to date by streamed events. */

import { decodeFailure, type Rewind, type Run, type RunEvent } from "@/api/types"
import { decodeNumber } from "@/lib/decode"
import { addSpans, decodeSpan, type Lineage, markDiverged } from "@/lib/lineage/spans"
import { appendTick, emptySeries, type Series } from "@/lib/series"

export interface RunView {
  /** Names the snapshot; a new one is taken when history was cut back. */
  snapshot: number
  run: Run
  lineage: Lineage
  /** Number of the last event that was folded in; -1 before the first. */
  lastSeq: number
  /** Ticks streamed since the snapshot; earlier ones are requested per metric. */
  streamed: Readonly<Record<string, Series>>
  /** Seconds of work at the last event. */
  endWall: number
  /** It must be reloaded: history was cut back below what it holds, or it missed something, or holds too much. */
  outdated: boolean
}

export function runView(run: Run, lineage: Lineage, snapshot: number): RunView {
  return {
    snapshot,
    run,
    lineage,
    lastSeq: run.last_seq,
    streamed: {},
    endWall: lineage.spans.reduce((latest, span) => Math.max(latest, span.start_wall), 0),
    outdated: false,
  }
}

export type StreamEvent =
  | RunEvent
  | ({ kind: "rewind" } & Rewind)
  | { kind: "status"; run: Run }
  /** The run was deleted, or is no longer ours to see. */
  | { kind: "gone" }

/** Ticks that a view takes from the stream before it asks for them aggregated. */
const MOST_STREAMED = 5000

/** The one reducer that folds the events of a run's stream into its view. Pure: equal inputs give equal views. */
export function applyEvent(view: RunView, event: StreamEvent): RunView {
  if (event.kind === "status") return { ...view, run: event.run }
  if (event.kind === "gone") return { ...view, outdated: true }
  if (event.kind === "rewind") return { ...view, outdated: view.outdated || event.seq <= view.lastSeq }
  if (event.seq <= view.lastSeq) return view // sent again after a reconnect
  if (event.seq > view.lastSeq + 1) return { ...view, outdated: true } // numbers have no gaps: something was missed
  const next = moved(view, event)
  switch (event.kind) {
    case "started":
      return {
        ...next,
        run: {
          ...next.run,
          strategy: event.strategy,
          strategy_explanation: event.explanation,
          devices: event.devices,
        },
      }
    case "metrics":
      return withTick(next, event)
    case "lineage": {
      const place = { start_step: event.step, end_step: null, start_wall: event.wall, diverged: null }
      const born = event.spans.map((span) => decodeSpan({ ...span, ...place }))
      return { ...next, lineage: addSpans(next.lineage, born) }
    }
    case "diverged": {
      const { step, metric, value } = event
      const lineage = markDiverged(next.lineage, event.span, { step, metric, value: decodeNumber(value) })
      return { ...next, lineage }
    }
    case "interrupted": {
      const { step, reason } = event
      return { ...next, run: { ...next.run, interruptions: [...next.run.interruptions, { step, reason }] } }
    }
    case "checkpoint":
    case "video":
    case "policy":
      return next // which files are stored is known from the run's artifacts
    case "finished":
      return { ...next, run: { ...next.run, status: "finished", end_reason: event.reason } }
    case "stopped":
      return { ...next, run: { ...next.run, status: "stopped" } }
    case "failed":
      return { ...next, run: { ...next.run, status: "failed", error: decodeFailure(event) } }
    default:
      return event satisfies never
  }
}

/** Several events at once, so that a burst costs one drawing. */
export function applyEvents(view: RunView, events: readonly StreamEvent[]): RunView {
  return events.reduce(applyEvent, view)
}

function moved(view: RunView, event: RunEvent): RunView {
  const step = Math.max(view.run.step, event.step)
  return {
    ...view,
    lastSeq: event.seq,
    endWall: Math.max(view.endWall, event.wall),
    run: { ...view.run, step, last_seq: event.seq },
    lineage: { ...view.lineage, end_step: Math.max(view.lineage.end_step, event.step) },
  }
}

function withTick(view: RunView, event: Extract<RunEvent, { kind: "metrics" }>): RunView {
  const grown = { ...view.streamed }
  for (const [name, values] of Object.entries(event.frames)) {
    grown[name] = appendTick(grown[name] ?? emptySeries(name), event.step, event.wall, values)
  }
  const longest = Math.max(...Object.values(grown).map(({ steps }) => steps.length))
  return { ...view, streamed: grown, outdated: view.outdated || longest > MOST_STREAMED }
}
