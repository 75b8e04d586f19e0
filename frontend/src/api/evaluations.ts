import { queryOptions } from "@tanstack/react-query"
import { getEvaluation, listEvaluations } from "@/api/generated/sdk.gen"
import { isActive } from "@/api/types"

/** So often what is under way is asked for again. */
const WATCH_MS = 2000
const IDLE_MS = 15_000
const MOST = 100

/** The newest evaluations first; with a run those that play a policy of it. */
export function evaluationsQuery(run?: number) {
  return queryOptions({
    queryKey: ["evaluations", "list", run ?? null],
    queryFn: async ({ signal }) =>
      (await listEvaluations({ throwOnError: true, signal, query: { run, limit: MOST } })).data,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => isActive(status)) ? WATCH_MS : IDLE_MS,
  })
}

export function evaluationQuery(id: number) {
  return queryOptions({
    queryKey: ["evaluations", id],
    queryFn: async ({ signal }) => (await getEvaluation({ throwOnError: true, signal, path: { id } })).data,
    refetchInterval: ({ state }) => (state.data && isActive(state.data.status) ? WATCH_MS : false),
  })
}
