import { queryOptions } from "@tanstack/react-query"
import { getEvaluation, listEvaluations } from "@/api/generated/sdk.gen"

const IDLE_MS = 15_000
const MOST = 100

/** The newest evaluations first; with a run those that play a policy of it. What is under way is followed. */
export function evaluationsQuery(run?: number) {
  return queryOptions({
    queryKey: ["evaluations", "list", run ?? null],
    queryFn: async ({ signal }) =>
      (await listEvaluations({ throwOnError: true, signal, query: { run, limit: MOST } })).data,
    refetchInterval: IDLE_MS,
  })
}

export function evaluationQuery(id: number) {
  return queryOptions({
    queryKey: ["evaluations", id],
    queryFn: async ({ signal }) => (await getEvaluation({ throwOnError: true, signal, path: { id } })).data,
  })
}
