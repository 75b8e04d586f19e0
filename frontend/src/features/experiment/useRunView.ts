import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { artifactsQuery, fetchLineage, fetchRun, seriesQuery, type Window } from "@/api/queries"
import { isActive, type Run } from "@/api/types"
import { followRun } from "@/lib/run/followRun"
import { applyEvents, type RunView, runView } from "@/lib/run/runView"
import { mergeSeries, type Series } from "@/lib/series"

let snapshots = 0

export function runViewQuery(id: number) {
  return queryOptions({
    queryKey: ["runs", id, "view"],
    queryFn: async ({ signal }): Promise<RunView> => {
      // The run first: the stream then goes on from a point that the lineage surely covers.
      const run = await fetchRun(id, signal)
      const lineage = await fetchLineage(id, signal)
      snapshots += 1
      return runView(run, lineage, snapshots)
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
}

/** A run may still emit events until its end is recorded. */
function mayEmit(run: Run): boolean {
  return isActive(run.status) || run.finished_at === null
}

/** A run's view, live. */
export function useRunView(id: number) {
  const queryClient = useQueryClient()
  const query = useQuery(runViewQuery(id))
  const [connected, setConnected] = useState(true)
  const snapshot = query.data?.snapshot
  const speaking = query.data ? mayEmit(query.data.run) : false
  const outdated = query.data?.outdated ?? false

  useEffect(() => {
    const key = runViewQuery(id).queryKey
    const start = queryClient.getQueryData(key)
    if (!start || !speaking || start.snapshot !== snapshot) return
    return followRun({
      run: id,
      after: start.run.stream,
      onConnection: setConnected,
      onEvents: (events) => {
        queryClient.setQueryData(key, (view) => view && applyEvents(view, events))
        if (events.some(({ kind }) => kind === "checkpoint" || kind === "video" || kind === "policy")) {
          void queryClient.invalidateQueries({ queryKey: artifactsQuery(id, true).queryKey })
        }
      },
    })
  }, [id, snapshot, speaking, queryClient])

  useEffect(() => {
    if (outdated) void queryClient.invalidateQueries({ queryKey: runViewQuery(id).queryKey })
  }, [id, outdated, queryClient])

  return { ...query, connected: connected || !speaking }
}

/**
 * One metric of a run: what was stored, and what has been streamed since. Where the run is too long to show every tick,
 * the part that is zoomed into is asked for by itself.
 */
export function useSeries(view: RunView, name: string, zoom: Window | null = null) {
  const { id } = view.run
  const stored = useQuery(seriesQuery(id, view.snapshot, name))
  const isAggregated = stored.data ? stored.data.spread !== null : false
  const part = useQuery({
    ...seriesQuery(id, view.snapshot, name, zoom),
    enabled: isAggregated && zoom !== null,
    placeholderData: keepPreviousData,
  })
  const shown = isAggregated && zoom ? (part.data ?? stored.data) : stored.data
  const streamed = view.streamed[name]
  const series = useMemo<Series | null>(
    () => (shown ? mergeSeries(shown, streamed) : null),
    [shown, streamed],
  )
  return { ...stored, series }
}
