/** Every query to the API, with its cache key and refetch interval. */

import "@/api/errors"
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import {
  adviseSpec,
  countExperiments,
  getComparedBudgets,
  getComparedCurves,
  getComparison,
  getExperiment,
  getGroup,
  getHealth,
  getQueue,
  getRun,
  getRunExtension,
  getRunLineage,
  getRunMetrics,
  getRunPolicy,
  getSpecSchema,
  getStudy,
  getWorkerLoad,
  listAlgorithms,
  listEnvironments,
  listExperiments,
  listFields,
  listGroups,
  listMethods,
  listMetricNames,
  listPresets,
  listRunArtifacts,
  listRunAttempts,
  listRunLogs,
  listStudies,
  listViews,
  listWorkers,
  validateSpec,
} from "@/api/generated/sdk.gen"
import {
  decodeAttempt,
  decodeCount,
  decodeExperiment,
  decodeGroup,
  decodeRow,
  decodeRun,
  isActive,
  type Priority,
} from "@/api/types"
import { decodeLineage, type Lineage } from "@/lib/lineage/spans"
import { chosenProject } from "@/lib/project"
import type { CompareSearch } from "@/lib/search"
import { type Axis, decodeSeries, emptySeries, type Series } from "@/lib/series"

const ONCE = { throwOnError: true } as const

/** Points of a series that fill a wide screen; the server thins out longer ones, keeping minima and maxima. */
const POINTS = 2000

/** The largest page of a list whose items are all wanted. */
const LIMIT = 500

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async ({ signal }) => (await getHealth({ ...ONCE, signal })).data,
  refetchInterval: 5000,
})

/** All items of a list, page by page. */
export async function collect<T>(fetchPage: (after: string | null) => Promise<Page<T>>): Promise<T[]> {
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

/** What a spec may say. It changes only with what the service has installed. */
export const specSchemaQuery = queryOptions({
  queryKey: ["spec-schema"],
  queryFn: async ({ signal }) => (await getSpecSchema({ ...ONCE, signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
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

/** How busy a worker was in the last day, in half hours. */
export function workerLoadQuery(id: number) {
  return queryOptions({
    queryKey: ["workers", id, "load"],
    queryFn: async ({ signal }) => (await getWorkerLoad({ ...ONCE, signal, path: { id } })).data,
    staleTime: 60_000,
    refetchInterval: 60_000,
  })
}

export interface QueueFilter {
  project: number | null
  owner: number | null
  priority: Priority | null
  /** At most so many waiting jobs. */
  limit: number
}

/** What runs, what waits and why. Asked again and again: everyone's jobs change it. */
export function queueQuery(filter: QueueFilter) {
  return queryOptions({
    queryKey: ["queue", filter],
    queryFn: async ({ signal }) => (await getQueue({ ...ONCE, signal, query: filter })).data,
    refetchInterval: 2500,
    placeholderData: keepPreviousData,
  })
}

export interface TableRequest {
  query: string
  sort: string
  columns: readonly string[]
  /** A word of the name, environment, algorithm or a tag. */
  search?: string
}

/** Rows of one request: what a screen shows and a little more. */
export const WINDOW = 50

/** A window of the table of experiments. Only what is on screen is asked for again. */
export function experimentsQuery({ query, sort, columns, search }: TableRequest, offset = 0, limit = WINDOW) {
  return queryOptions({
    queryKey: [
      "experiments",
      "list",
      { query, sort, columns, search, limit, project: chosenProject() },
      offset,
    ],
    queryFn: async ({ signal }) => {
      const asked = {
        query: query || null,
        search: search || null,
        sort: sort || null,
        column: [...columns],
        project: chosenProject(),
        limit,
        offset,
      }
      const { data } = await listExperiments({ ...ONCE, signal, query: asked })
      return { total: data.total, items: data.items.map(decodeRow) }
    },
    refetchInterval: ({ state }) =>
      offset === 0 || state.data?.items.some(({ status }) => isActive(status)) ? 2500 : 15_000,
    // While other rows are on their way, those of the same place stay; a place never shows the rows of another.
    placeholderData: (previous, asked) => (asked?.queryKey[3] === offset ? previous : undefined),
    staleTime: 1000,
  })
}

export const fieldsQuery = queryOptions({
  queryKey: ["experiments", "fields"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listFields({ ...ONCE, signal, query: { after } })).data),
  staleTime: 60_000,
})

/** How many experiments have each value of a column. */
export function countsQuery(by: string, query: string) {
  return queryOptions({
    queryKey: ["experiments", "counts", by, query],
    queryFn: async ({ signal }) => {
      const asked = { by, query: query || null, limit: LIMIT }
      return (await countExperiments({ ...ONCE, signal, query: asked })).data.items.map(decodeCount)
    },
    staleTime: 10_000,
  })
}

export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listViews({ ...ONCE, signal, query: { after } })).data),
  staleTime: 30_000,
})

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

/** A part of a run, by steps or by seconds of work. */
export interface Window {
  axis: Axis
  range: readonly [number, number]
}

function rangeOf(window: Window | null) {
  if (!window) return {}
  const [from, to] = window.range
  return window.axis === "steps"
    ? { from_step: Math.floor(from), to_step: Math.ceil(to) }
    : { from_wall: from, to_wall: to }
}

/**
 * The ticks of one metric that were stored when it was asked. Its key names the snapshot of the run's history that the
 * stream goes on from, so that ticks of two histories are never mixed.
 */
export function seriesQuery(run: number, snapshot: number, name: string, window: Window | null = null) {
  return queryOptions({
    queryKey: ["runs", run, "series", snapshot, name, window],
    queryFn: async ({ signal }): Promise<Series> => {
      const query = { name: [name], points: POINTS, ...rangeOf(window) }
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

/** The card of a stored policy; a file never changes, so neither does its card. */
export function policyQuery(run: number, artifact: number) {
  return queryOptions({
    queryKey: ["runs", run, "policy", artifact],
    queryFn: async ({ signal }) => (await getRunPolicy({ ...ONCE, signal, path: { id: run } })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Who had a run, from where to where. One worker alone is heard of only with the run's status or newest attempt. */
export function attemptsQuery({ id, attempt, status }: { id: number; attempt: number; status: string }) {
  return queryOptions({
    queryKey: ["runs", id, "attempts", attempt, status],
    queryFn: async ({ signal }) => {
      const found = await collect(async (after) => {
        const query = { limit: LIMIT, after }
        return (await listRunAttempts({ ...ONCE, signal, path: { id }, query })).data
      })
      return found.map(decodeAttempt)
    },
    placeholderData: keepPreviousData,
    // What each host of several does changes all the time.
    refetchInterval: ({ state }) =>
      state.data?.some((each) => each.end === null && each.ranks.length > 0) ? 3000 : false,
  })
}

/** Whether and how a run could go on to a larger budget. */
export function extensionQuery(run: number) {
  return queryOptions({
    queryKey: ["runs", run, "extension"],
    queryFn: async ({ signal }) => (await getRunExtension({ ...ONCE, signal, path: { id: run } })).data,
    staleTime: 0,
  })
}

/** Log lines per request. */
export const LOG_PAGE = 1000

/** Which lines of a run are wanted: those of one attempt, of one host of several; null for all. */
export interface LogPart {
  attempt: number | null
  rank: number | null
}

export async function fetchLogPage(run: number, part: LogPart, after: string | null, signal?: AbortSignal) {
  const query = { ...part, after, limit: LOG_PAGE }
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

/** What a comparison asks the API for; also the query of a download. */
export function comparisonParams({ runs: _, ...asked }: CompareSearch) {
  return asked
}

/** Runs may go on while they are compared; numbers change only as fast as evaluations do. */
const COMPARISON_INTERVAL = 15_000

export function comparisonQuery(search: CompareSearch) {
  const query = comparisonParams(search)
  return queryOptions({
    queryKey: ["comparison", query],
    queryFn: async ({ signal }) => (await getComparison({ ...ONCE, signal, query })).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.arms.some(({ experiments }) => experiments.some(({ status }) => isActive(status)))
        ? COMPARISON_INTERVAL
        : false,
  })
}

export function comparedCurvesQuery(search: CompareSearch, active: boolean) {
  const { baseline: _, at: __, ...asked } = comparisonParams(search)
  const query = { ...asked, runs: search.runs ?? false }
  return queryOptions({
    queryKey: ["comparison", "curves", query],
    queryFn: async ({ signal }) => (await getComparedCurves({ ...ONCE, signal, query })).data,
    placeholderData: keepPreviousData,
    refetchInterval: active ? COMPARISON_INTERVAL : false,
  })
}

export function comparedBudgetsQuery({ experiments, groups, task }: CompareSearch) {
  const query = { experiments, groups, task }
  return queryOptions({
    queryKey: ["comparison", "budgets", query],
    queryFn: async ({ signal }) => (await getComparedBudgets({ ...ONCE, signal, query })).data,
    placeholderData: keepPreviousData,
  })
}
