/** Every query to the API, with its cache key and refetch interval. */

import "@/api/errors"
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import {
  adviseSpec,
  getExperiment,
  getGroup,
  getHealth,
  getRun,
  getRunLineage,
  getRunMetrics,
  getStudy,
  listAlgorithms,
  listEnvironments,
  listExperiments,
  listGroups,
  listMethods,
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
} from "@/api/types"
import { decodeLineage, type Lineage } from "@/lib/lineage/spans"
import { decodeSeries, emptySeries, type Series } from "@/lib/series"

const ONCE = { throwOnError: true } as const

/** Points of a series that fill a wide screen; the server thins out longer ones, keeping minima and maxima. */
const POINTS = 2000

/** The largest page of a list whose items are all wanted. */
const LIMIT = 500

/** Experiments on one page of the list; what is not on screen costs the service nothing. */
const EXPERIMENTS_SHOWN = 100

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async ({ signal }) => (await getHealth({ ...ONCE, signal })).data,
  refetchInterval: 5000,
})

/** All items of a list, page by page. */
async function collect<T>(fetchPage: (after: string | null) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = []
  let after: string | null = null
  do {
    const page: Page<T> = await fetchPage(after)
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items
}

interface Page<T> {
  items: T[]
  next: string | null
}

export const algorithmsQuery = queryOptions({
  queryKey: ["algorithms"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listAlgorithms({ ...ONCE, signal, query: { after } })).data),
  staleTime: 60_000,
})

export const methodsQuery = queryOptions({
  queryKey: ["methods"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listMethods({ ...ONCE, signal, query: { after } })).data),
  staleTime: 60_000,
})

export const presetsQuery = queryOptions({
  queryKey: ["presets"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listPresets({ ...ONCE, signal, query: { after } })).data),
  staleTime: 60_000,
})

/** All environments that a spec may name: they change only with a new version of Phylon. */
export const environmentsQuery = queryOptions({
  queryKey: ["environments"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listEnvironments({ ...ONCE, signal, query: { after } })).data),
  staleTime: Number.POSITIVE_INFINITY,
})

export const groupsQuery = queryOptions({
  queryKey: ["groups", "list"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listGroups({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
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
  queryFn: ({ signal }) =>
    collect(async (after) => (await listStudies({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
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
  queryFn: ({ signal }) =>
    collect(async (after) => (await listWorkers({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
  refetchInterval: 3000,
})

export interface ExperimentFilter {
  search: string
  status: ExperimentStatus | null
  group: number | null
}

/** The newest experiments, a page at a time. */
export function experimentsQuery({ search, status, group }: ExperimentFilter) {
  return infiniteQueryOptions({
    queryKey: ["experiments", "list", { search, status, group }],
    queryFn: async ({ signal, pageParam: after }) => {
      const query = { search: search || null, status, group, limit: EXPERIMENTS_SHOWN, after }
      const { data } = await listExperiments({ ...ONCE, signal, query })
      return { ...data, items: data.items.map(decodeSummary) }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
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
  return decodeLineage(data)
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
    queryFn: ({ signal }) =>
      collect(
        async (after) =>
          (await listMetricNames({ ...ONCE, signal, path: { id: run }, query: { after } })).data,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function artifactsQuery(run: number, active: boolean) {
  return queryOptions({
    queryKey: ["runs", run, "artifacts"],
    queryFn: ({ signal }) =>
      collect(async (after) => {
        const query = { limit: LIMIT, after }
        return (await listRunArtifacts({ ...ONCE, signal, path: { id: run }, query })).data
      }),
    refetchInterval: active ? 5000 : false,
  })
}

/** Log lines per request. */
export const LOG_PAGE = 1000

export async function fetchLogPage(
  run: number,
  attempt: number | null,
  after: string | null,
  signal?: AbortSignal,
) {
  const query = { attempt, after, limit: LOG_PAGE }
  return (await listRunLogs({ ...ONCE, signal, path: { id: run }, query })).data
}

export function specReportQuery(yaml: string) {
  return queryOptions({
    queryKey: ["spec-report", yaml],
    queryFn: async ({ signal }) => (await validateSpec({ ...ONCE, signal, body: { yaml } })).data,
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
