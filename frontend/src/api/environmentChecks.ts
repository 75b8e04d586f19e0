import { queryOptions } from "@tanstack/react-query"
import { getEnvironmentCheck, listEnvironmentChecks } from "@/api/generated/sdk.gen"

const IDLE_MS = 15_000
const MOST = 100

/** The newest first. What is under way is followed, not asked for. */
export const environmentChecksQuery = queryOptions({
  queryKey: ["environment-checks", "list"],
  queryFn: async ({ signal }) =>
    (await listEnvironmentChecks({ throwOnError: true, signal, query: { limit: MOST } })).data,
  refetchInterval: IDLE_MS,
})

export function environmentCheckQuery(id: number) {
  return queryOptions({
    queryKey: ["environment-checks", id],
    queryFn: async ({ signal }) =>
      (await getEnvironmentCheck({ throwOnError: true, signal, path: { id } })).data,
  })
}
