import { queryOptions, skipToken } from "@tanstack/react-query"
import { draftFork, getRunForkable, listRunForks } from "@/api/generated/sdk.gen"

const ONCE = { throwOnError: true } as const

/** From which spans of its lineage a run can be forked. */
export function forkableQuery(run: number) {
  return queryOptions({
    queryKey: ["runs", run, "forkable"],
    queryFn: async ({ signal }) => (await getRunForkable({ ...ONCE, signal, path: { id: run } })).data,
    staleTime: 10_000,
  })
}

export function forksQuery(run: number) {
  return queryOptions({
    queryKey: ["runs", run, "forks"],
    queryFn: async ({ signal }) => (await listRunForks({ ...ONCE, signal, path: { id: run } })).data.items,
  })
}

/** The spec of a fork, to be edited. */
export function forkDraftQuery(run: number | undefined, span: number | undefined) {
  return queryOptions({
    queryKey: ["runs", run, "fork", span],
    queryFn:
      run === undefined
        ? skipToken
        : async ({ signal }: { signal: AbortSignal }) =>
            (await draftFork({ ...ONCE, signal, path: { id: run }, query: { span } })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
