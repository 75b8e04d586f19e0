import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { useSeries } from "@/features/experiment/useRunView"
import { createCursor } from "@/lib/cursor"
import { ancestralColumn, ancestryOf, stitch } from "@/lib/lineage/ancestry"
import { timeMap } from "@/lib/lineage/timeMap"
import type { RunView } from "@/lib/run/runView"
import type { ExperimentSearch } from "@/lib/search"
import { emptySeries } from "@/lib/series"

export const RETURN = "evaluation/return"
const route = getRouteApi("/experiments/$id")
const NO_RETURNS = emptySeries(RETURN)

/** Everything that curves, river and schedules share: axis, zoom, cursor, highlighted member and chosen ancestry. */
export function useOverview(view: RunView) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { axis = "steps", metric = RETURN, log = false, colour = "fitness", view: mode = "river" } = search
  const [cursor] = useState(createCursor)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const [zoom, setZoom] = useState<[number, number] | null>(null)

  const fitnessQuery = useSeries(view, RETURN)
  const metricQuery = useSeries(view, metric)
  const fitness = fitnessQuery.series ?? NO_RETURNS
  const { spans, end_step: endStep } = view.lineage
  const endWall = Math.max(view.endWall, fitness.wall.at(-1) ?? 0, metricQuery.series?.wall.at(-1) ?? 0)
  const times = useMemo(() => timeMap(spans, fitness, endStep, endWall), [spans, fitness, endStep, endWall])

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
  /** Choosing what is chosen already lets go of it. */
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

  return {
    axis,
    metric,
    log,
    colour,
    mode,
    cursor,
    highlighted,
    setHighlighted,
    zoomed: zoom !== null,
    setZoom,
    range,
    fitness,
    metricQuery,
    times,
    path,
    stretches,
    ancestral,
    change,
    select,
  }
}

export type Overview = ReturnType<typeof useOverview>

/** What a lineage is drawn with, whether it is a run's or one that was brought from elsewhere. */
export type LineageState = Pick<
  Overview,
  | "axis"
  | "range"
  | "times"
  | "fitness"
  | "path"
  | "stretches"
  | "cursor"
  | "highlighted"
  | "setHighlighted"
  | "select"
>
