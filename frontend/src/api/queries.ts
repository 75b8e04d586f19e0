/** Every query to the API, with its cache key and refetch interval. */

import "@/api/errors"
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import {
  adviseSpec,
  getExperiment,
  getGroup,
  getHealth,
  getRun,
  getRunLineage,
  getRunMetrics,
  getStudy,
  listEnvironments,
  listExperiments,
  listGroups,
  listMetricNames,
  listPresets,
  listRunArtifacts,
  listRunLogs,
  listStudies,
  listWorkers,
  validateSpec,
} from "@/api/generated/sdk.gen"
import {
  decodeExperiment,
  decodeGroup,
  decodeRun,
  decodeSummary,
  type ExperimentStatus,
  isActive,
  type SpecNote,
  type SpecReport,
} from "@/api/types"
import { decodeSpan, type Lineage } from "@/lib/lineage/spans"
import { decodeSeries, emptySeries, type Series } from "@/lib/series"

const ONCE = { throwOnError: true } as const

/** Points of a series that fill a wide screen; the server thins out longer ones, keeping minima and maxima. */
const POINTS = 2000

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async ({ signal }) => (await getHealth({ ...ONCE, signal })).data,
  refetchInterval: 5000,
})

export const presetsQuery = queryOptions({
  queryKey: ["presets"],
  queryFn: async ({ signal }) => (await listPresets({ ...ONCE, signal })).data,
  staleTime: 60_000,
})

/** All environments that a spec may name: they change only with a new version of Phylon. */
export const environmentsQuery = queryOptions({
  queryKey: ["environments"],
  queryFn: async ({ signal }) => (await listEnvironments({ ...ONCE, signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
})

export const groupsQuery = queryOptions({
  queryKey: ["groups", "list"],
  queryFn: async ({ signal }) => (await listGroups({ ...ONCE, signal, query: { limit: 500 } })).data.items,
  refetchInterval: 15_000,
})

export function groupQuery(id: number) {
  return queryOptions({
    queryKey: ["groups", id],
    queryFn: async ({ signal }) => decodeGroup((await getGroup({ ...ONCE, signal, path: { id } })).data),
    refetchInterval: ({ state }) => (state.data && !isActive(state.data.status ?? "") ? false : 3000),
  })
}

export const studiesQuery = queryOptions({
  queryKey: ["studies", "list"],
  queryFn: async ({ signal }) => (await listStudies({ ...ONCE, signal, query: { limit: 500 } })).data,
  refetchInterval: 3000,
})

/** As it was when it was asked; what comes later is streamed. */
export function studyQuery(id: number) {
  return queryOptions({
    queryKey: ["studies", id],
    queryFn: async ({ signal }) => (await getStudy({ ...ONCE, signal, path: { id } })).data,
  })
}

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: async ({ signal }) => (await listWorkers({ ...ONCE, signal })).data,
  refetchInterval: 3000,
})

export interface ExperimentFilter {
  search: string
  status: ExperimentStatus | null
  group: number | null
}

export function experimentsQuery(filter: ExperimentFilter) {
  return queryOptions({
    queryKey: ["experiments", "list", filter],
    queryFn: async ({ signal }) => {
      const { search, status, group } = filter
      const query = { search: search || null, status, group, limit: 500 }
      const { data } = await listExperiments({ ...ONCE, signal, query })
      return { items: data.items.map(decodeSummary), total: data.total }
    },
    refetchInterval: 2500,
    placeholderData: keepPreviousData,
  })
}

export function experimentQuery(id: number) {
  return queryOptions({
    queryKey: ["experiments", id],
    queryFn: async ({ signal }) =>
      decodeExperiment((await getExperiment({ ...ONCE, signal, path: { id } })).data),
    refetchInterval: ({ state }) => (state.data && !isActive(state.data.status) ? false : 3000),
  })
}

export async function fetchRun(id: number, signal?: AbortSignal) {
  return decodeRun((await getRun({ ...ONCE, signal, path: { id } })).data)
}

export async function fetchLineage(id: number, signal?: AbortSignal): Promise<Lineage> {
  const { data } = await getRunLineage({ ...ONCE, signal, path: { id } })
  return { ...data, spans: data.spans.map((span) => decodeSpan(span, span)) }
}

/**
 * The ticks of one metric that were stored when it was asked. Its key names the snapshot of the run's history that the
 * stream goes on from, so that ticks of two histories are never mixed.
 */
export function seriesQuery(run: number, snapshot: number, name: string) {
  return queryOptions({
    queryKey: ["runs", run, "series", snapshot, name],
    queryFn: async ({ signal }): Promise<Series> => {
      const query = { name: [name], points: POINTS }
      const { data } = await getRunMetrics({ ...ONCE, signal, path: { id: run }, query })
      const found = data.series.find((series) => series.name === name)
      return found ? decodeSeries(found) : emptySeries(name)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function metricNamesQuery(run: number, snapshot: number) {
  return queryOptions({
    queryKey: ["runs", run, "names", snapshot],
    queryFn: async ({ signal }) => (await listMetricNames({ ...ONCE, signal, path: { id: run } })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function artifactsQuery(run: number, active: boolean) {
  return queryOptions({
    queryKey: ["runs", run, "artifacts"],
    queryFn: async ({ signal }) => (await listRunArtifacts({ ...ONCE, signal, path: { id: run } })).data,
    refetchInterval: active ? 5000 : false,
  })
}

/** Lines of a log that are asked for at once. */
export const LOG_PAGE = 1000

export async function fetchLogPage(run: number, attempt: number | null, after: number, signal?: AbortSignal) {
  const query = { attempt, after, limit: LOG_PAGE }
  return (await listRunLogs({ ...ONCE, signal, path: { id: run }, query })).data
}

/** A service that cannot resolve specs leaves both out. */
type Report = SpecReport & { resolved?: string | null; notes?: SpecNote[] }

export function specReportQuery(yaml: string) {
  return queryOptions({
    queryKey: ["spec-report", yaml],
    queryFn: async ({ signal }): Promise<Report> =>
      (await validateSpec({ ...ONCE, signal, body: { yaml } })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    placeholderData: keepPreviousData,
    enabled: yaml.trim() !== "",
  })
}

/** Depends on workers and studies as well as on the spec, so it is asked again; soon, while something is measured. */
export function adviceQuery(yaml: string) {
  return queryOptions({
    queryKey: ["advice", yaml],
    queryFn: async ({ signal }) => (await adviseSpec({ ...ONCE, signal, body: { yaml } })).data,
    gcTime: 30_000,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.workers.some(({ measuring_study_id: study }) => study !== null) ? 2500 : 15_000,
  })
}
