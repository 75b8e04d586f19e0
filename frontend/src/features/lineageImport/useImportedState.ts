import { useCallback, useMemo, useState } from "react"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { createCursor } from "@/lib/cursor"
import { ancestryOf, stitch } from "@/lib/lineage/ancestry"
import type { Lineage } from "@/lib/lineage/spans"
import { timeMap } from "@/lib/lineage/timeMap"
import { emptySeries } from "@/lib/series"

const NO_RETURNS = emptySeries("evaluation/return")

/** What a lineage without a run is drawn with: steps only, and no fitness. */
export function useImportedState(lineage: Lineage): LineageState {
  const [cursor] = useState(createCursor)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const { spans, end_step: endStep } = lineage
  const range = useMemo<readonly [number, number]>(() => [0, Math.max(1, endStep)], [endStep])
  const times = useMemo(() => timeMap(spans, NO_RETURNS, endStep, 0), [spans, endStep])
  const path = useMemo(() => (chosen === null ? [] : ancestryOf(spans, chosen)), [spans, chosen])
  const stretches = useMemo(() => stitch(path, endStep), [path, endStep])
  /** Choosing what is chosen already lets go of it. */
  const select = useCallback((span: number | null) => setChosen((old) => (span === old ? null : span)), [])
  return {
    axis: "steps",
    range,
    times,
    fitness: NO_RETURNS,
    path,
    stretches,
    cursor,
    highlighted,
    setHighlighted,
    select,
  }
}
