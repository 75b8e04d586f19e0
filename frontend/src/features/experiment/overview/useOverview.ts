import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { useSeries } from "@/features/experiment/useRunView"
import { type Cursor, createCursor } from "@/lib/cursor"
import { ancestralColumn, ancestryOf, type Stretch, stitch } from "@/lib/lineage/ancestry"
import type { Span } from "@/lib/lineage/spans"
import { type TimeMap, timeMap } from "@/lib/lineage/timeMap"
import type { RunView } from "@/lib/run/runView"
import type { ExperimentSearch } from "@/lib/search"
import { type Axis, emptySeries, type Series } from "@/lib/series"

export const RETURN = "evaluation/return"
const route = getRouteApi("/experiments/$id")
const NO_RETURNS = emptySeries(RETURN)

/** State shared by curves, timeline and schedules: axis, zoom, cursor, highlighted member and selected ancestry. */
export function useOverview(view: RunView) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { axis = "steps", metric = RETURN, log = false, colour = "return", view: mode = "timeline" } = search
  const [cursor] = useState(createCursor)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const [zoom, setZoom] = useState<[number, number] | null>(null)

  const returnsQuery = useSeries(view, RETURN)
  const metricQuery = useSeries(view, metric)
  const returns = returnsQuery.series ?? NO_RETURNS
  const { spans, end_step: endStep } = view.lineage
  const endWall = Math.max(view.endWall, returns.wall.at(-1) ?? 0, metricQuery.series?.wall.at(-1) ?? 0)
  const times = useMemo(() => timeMap(spans, returns, endStep, endWall), [spans, returns, endStep, endWall])

  const chosen = search.span
  const path = useMemo(() => (chosen === undefined ? [] : ancestryOf(spans, chosen)), [spans, chosen])
  const stretches = useMemo(() => stitch(path, endStep), [path, endStep])
  const metricSeries = metricQuery.series
  const ancestral = useMemo(
    () =>
      stretches.length && metricSeries && metricSeries.columns.length > 1
        ? ancestralColumn(stretches, metricSeries)
        : null,
    [stretches, metricSeries],
  )

  const end = Math.max(1, axis === "steps" ? Math.max(endStep, metricSeries?.steps.at(-1) ?? 0) : endWall)
  const range = useMemo<readonly [number, number]>(() => zoom ?? [0, end], [zoom, end])

  const change = useCallback(
    (next: ExperimentSearch) => {
      if (next.axis) setZoom(null)
      void navigate({ search: (old) => ({ ...old, ...next }), replace: true, resetScroll: false })
    },
    [navigate],
  )
  /** Selecting the selected span again clears the selection. */
  const select = useCallback(
    (span: number | null) => {
      const toggled = (old?: number) => (span === null || span === old ? undefined : span)
      void navigate({
        search: (old) => ({ ...old, span: toggled(old.span) }),
        replace: true,
        resetScroll: false,
      })
    },
    [navigate],
  )

  const state: LineageState = {
    axis,
    range,
    times,
    returns,
    path,
    stretches,
    cursor,
    highlighted,
    setHighlighted,
    select,
  }
  const curves: CurveState = { metric, log, query: metricQuery, ancestral, zoomed: zoom !== null, setZoom }
  return { state, curves, colour, mode, change }
}

/** What the curves of one metric need beyond the state that they share with the lineage. */
export interface CurveState {
  metric: string
  log: boolean
  query: ReturnType<typeof useSeries>
  /** The metric along the selected ancestry; null without a selection, and for a metric of the whole population. */
  ancestral: Float64Array | null
  zoomed: boolean
  setZoom: (range: [number, number] | null) => void
}

/** What drawing a lineage needs, whether it belongs to a run or was imported. */
export interface LineageState {
  axis: Axis
  range: readonly [number, number]
  times: TimeMap
  returns: Series
  /** From the founder to the selected span; empty without a selection. */
  path: readonly Span[]
  stretches: readonly Stretch[]
  cursor: Cursor
  highlighted: number | null
  setHighlighted: (slot: number | null) => void
  select: (span: number | null) => void
}
