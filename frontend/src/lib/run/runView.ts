/** What the experiment page knows about a run: a snapshot loaded by REST, kept up to date by streamed events. */

import type { Run } from "@/api/types"
import type { Lineage } from "@/lib/lineage/spans"
import type { Series } from "@/lib/series"

export interface RunView {
  /** Names the snapshot; a new one is taken when history was cut back. */
  snapshot: number
  run: Run
  lineage: Lineage
  /** Number of the last event that was folded in; -1 before the first. */
  lastSeq: number
  /** Ticks streamed since the snapshot; what was stored before is asked for by metric. */
  streamed: Readonly<Record<string, Series>>
  /** Seconds of work at the last event. */
  endWall: number
  /** History was cut back below what this view holds: it must be loaded anew. */
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
