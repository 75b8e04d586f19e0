import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { ancestryQuery, type LineageSource, lineageOfRun } from "@/api/lineage"
import { MetricName } from "@/api/types"
import { useSeries } from "@/features/experiment/useRunView"
import { type Cursor, createCursor } from "@/lib/cursor"
import { ancestralColumn, type Stretch, stretchesOf } from "@/lib/lineage/ancestry"
import type { Lineage } from "@/lib/lineage/spans"
import { type TimeMap, timeMap, wallOfStep } from "@/lib/lineage/timeMap"
import type { RunView } from "@/lib/run/runView"
import type { ExperimentSearch } from "@/lib/search"
import { type Axis, emptySeries, type Series } from "@/lib/series"

export const RETURN = MetricName.EVALUATION_RETURN
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
  const window = useMemo(() => zoom && { axis, range: zoom }, [axis, zoom])
  const metricQuery = useSeries(view, metric, window)
  const returns = returnsQuery.series ?? NO_RETURNS
  const { spans, end_step: endStep } = view.lineage
  const endWall = Math.max(view.endWall, returns.wall.at(-1) ?? 0, metricQuery.series?.wall.at(-1) ?? 0)
  const times = useMemo(() => timeMap(spans, returns, endStep, endWall), [spans, returns, endStep, endWall])

  const { id } = view.run
  const source = useMemo(() => lineageOfRun(id, view.snapshot), [id, view.snapshot])
  const ancestry = useAncestry(source, view.lineage, search.span ?? null)
  const { stretches } = ancestry
  const metricSeries = metricQuery.series
  const ancestral = useMemo(
    () =>
      stretches.length && metricSeries && metricSeries.columns.length > 1
        ? ancestralColumn(stretches, metricSeries)
        : null,
    [stretches, metricSeries],
  )

  const { interruptions } = view.run
  const marks = useMemo(
    () => interruptions.map(({ step }) => (axis === "steps" ? step : wallOfStep(times, step))),
    [interruptions, axis, times],
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
    source,
    ancestry,
    marks,
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

/** The ancestry of the selected span; empty without a selection and until it is loaded. */
export interface SelectedAncestry {
  selected: number | null
  generations: number
  /** From the founder to the selected span. */
  stretches: readonly Stretch[]
  error: Error | null
  retry: () => void
}

export function useAncestry(
  source: LineageSource,
  lineage: Lineage,
  selected: number | null,
): SelectedAncestry {
  const { data, error, refetch } = useQuery(ancestryQuery(source, selected))
  const stretches = useMemo(() => (data ? stretchesOf(data, lineage) : []), [data, lineage])
  return { selected, generations: data?.generations ?? 0, stretches, error, retry: () => void refetch() }
}

/** What drawing a lineage needs, whether it belongs to a run or was imported. */
export interface LineageState {
  axis: Axis
  range: readonly [number, number]
  times: TimeMap
  returns: Series
  source: LineageSource
  ancestry: SelectedAncestry
  /** Where the run was interrupted, on the axis. */
  marks: readonly number[]
  cursor: Cursor
  highlighted: number | null
  setHighlighted: (slot: number | null) => void
  select: (span: number | null) => void
}
