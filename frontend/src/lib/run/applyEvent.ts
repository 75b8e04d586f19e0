/** The one reducer that folds what a run's stream says into its view. Pure: equal inputs give equal views. */

import { decodeFailure, type RewindEvent, type Run, type RunEvent } from "@/api/types"
import { addSpans, decodeSpan } from "@/lib/lineage/spans"
import type { RunView } from "@/lib/run/runView"
import { appendTick, emptySeries } from "@/lib/series"

export type StreamEvent = RunEvent | ({ kind: "rewind" } & RewindEvent) | { kind: "status"; run: Run }

export function applyEvent(view: RunView, event: StreamEvent): RunView {
  if (event.kind === "status") return { ...view, run: event.run }
  if (event.kind === "rewind") return { ...view, outdated: view.outdated || event.seq <= view.lastSeq }
  if (event.seq <= view.lastSeq) return view // told again after a reconnect
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
      return { ...next, streamed: withFrames(view.streamed, event) }
    case "lineage": {
      const place = { start_step: event.step, end_step: null, start_wall: event.wall }
      const born = event.spans.map((span) => decodeSpan(span, place))
      return { ...next, lineage: addSpans(next.lineage, born) }
    }
    case "checkpoint":
    case "video":
      return next // the artifacts of a run tell which files are stored
    case "finished":
      return { ...next, run: { ...next.run, status: "finished" } }
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

function withFrames(
  streamed: RunView["streamed"],
  event: Extract<RunEvent, { kind: "metrics" }>,
): RunView["streamed"] {
  const grown = { ...streamed }
  for (const [name, values] of Object.entries(event.frames)) {
    grown[name] = appendTick(grown[name] ?? emptySeries(name), event.step, event.wall, values)
  }
  return grown
}
