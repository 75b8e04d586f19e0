/** Analysis of lineages, which the service computes: of a run, or of an imported lineage that is not stored. */

import "@/api/errors"
import { keepPreviousData, queryOptions, skipToken } from "@tanstack/react-query"
import {
  deriveSpanSchedule,
  getLineageSummary,
  getSpanAncestry,
  getSpanSchedule,
  importRayLineage,
  summariseLineage,
  traceSpan,
} from "@/api/generated/sdk.gen"
import type { RunLineage } from "@/api/generated/types.gen"
import type { Ancestry, LineageSummary, Schedule } from "@/api/types"

/** Where the analysis of one lineage comes from. */
export interface LineageSource {
  /** Begins the cache keys of everything about this lineage. */
  key: readonly unknown[]
  /** Its number on the service; none of what comes from elsewhere. */
  run?: number
  summary: (signal: AbortSignal) => Promise<LineageSummary>
  ancestry: (span: number, signal: AbortSignal) => Promise<Ancestry>
  schedule: (span: number, signal: AbortSignal) => Promise<Schedule>
}

const ONCE = { throwOnError: true } as const

export function lineageOfRun(id: number, snapshot: number): LineageSource {
  return {
    key: ["runs", id, "lineage", snapshot],
    run: id,
    summary: async (signal) => (await getLineageSummary({ ...ONCE, signal, path: { id } })).data,
    ancestry: async (span, signal) => (await getSpanAncestry({ ...ONCE, signal, path: { id, span } })).data,
    schedule: async (span, signal) => (await getSpanSchedule({ ...ONCE, signal, path: { id, span } })).data,
  }
}

/** `name` distinguishes one imported lineage from the next. */
export function lineageOfImport(body: RunLineage, name: number): LineageSource {
  return {
    key: ["imported", name],
    summary: async (signal) => (await summariseLineage({ ...ONCE, signal, body })).data,
    ancestry: async (span, signal) => (await traceSpan({ ...ONCE, signal, body, path: { span } })).data,
    schedule: async (span, signal) =>
      (await deriveSpanSchedule({ ...ONCE, signal, body, path: { span } })).data,
  }
}

/**
 * Statistics of a lineage with this many spans; a birth triggers a new request. Gains of children are known after their
 * first evaluation, which comes after their birth, so an active run is asked again.
 */
export function lineageSummaryQuery(source: LineageSource, spans: number, active: boolean) {
  return queryOptions({
    queryKey: [...source.key, "summary", spans],
    queryFn: spans > 0 ? ({ signal }: { signal: AbortSignal }) => source.summary(signal) : skipToken,
    refetchInterval: active ? 10_000 : false,
    placeholderData: keepPreviousData,
  })
}

/** The past of a span never changes, only where its last part ends; that is known from the lineage itself. */
export function ancestryQuery(source: LineageSource, span: number | null) {
  return queryOptions({
    queryKey: [...source.key, "ancestry", span],
    queryFn:
      span === null ? skipToken : ({ signal }: { signal: AbortSignal }) => source.ancestry(span, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function scheduleQuery(source: LineageSource, span: number) {
  return queryOptions({
    queryKey: [...source.key, "schedule", span],
    queryFn: ({ signal }) => source.schedule(span, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The lineage recorded in Ray's files; nothing is stored. */
export async function readRayLineage(files: Record<string, string>): Promise<RunLineage> {
  return (await importRayLineage({ ...ONCE, body: { files } })).data
}
