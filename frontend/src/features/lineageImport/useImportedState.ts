import { useCallback, useMemo, useState } from "react"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { createCursor } from "@/lib/cursor"
import { ancestryOf, stitch } from "@/lib/lineage/ancestry"
import type { Lineage } from "@/lib/lineage/segments"
import { timeMap } from "@/lib/lineage/timeMap"
import { emptySeries } from "@/lib/series"

const NO_FITNESS = emptySeries("evaluation/return")

/** What a lineage without a run is drawn with: steps only, and no fitness. */
export function useImportedState(lineage: Lineage): LineageState {
  const [cursor] = useState(createCursor)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const { segments, end_step: endStep } = lineage
  const range = useMemo<readonly [number, number]>(() => [0, Math.max(1, endStep)], [endStep])
  const times = useMemo(() => timeMap(segments, NO_FITNESS, endStep, 0), [segments, endStep])
  const path = useMemo(() => (chosen === null ? [] : ancestryOf(segments, chosen)), [segments, chosen])
  const stretches = useMemo(() => stitch(path, endStep), [path, endStep])
  /** Choosing what is chosen already lets go of it. */
  const select = useCallback(
    (segment: number | null) => setChosen((old) => (segment === old ? null : segment)),
    [],
  )
  return {
    axis: "steps",
    range,
    times,
    fitness: NO_FITNESS,
    path,
    stretches,
    cursor,
    highlighted,
    setHighlighted,
    select,
  }
}
