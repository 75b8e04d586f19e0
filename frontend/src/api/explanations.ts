/** Why a run, or several pooled, came to their results; the service computes it. */

import "@/api/errors"
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { getPooledExplanation, getRunExplanation } from "@/api/generated/sdk.gen"
import type { CompareSearch } from "@/lib/search"

const ONCE = { throwOnError: true } as const

/** Numbers change only as fast as evaluations do. */
const INTERVAL = 15_000

export function explanationQuery(run: number, active: boolean) {
  return queryOptions({
    queryKey: ["runs", run, "explanation"],
    queryFn: async ({ signal }) => (await getRunExplanation({ ...ONCE, signal, path: { id: run } })).data,
    refetchInterval: active ? INTERVAL : false,
  })
}

export function pooledExplanationQuery({ experiments, groups, task }: CompareSearch, active: boolean) {
  const query = { experiments, groups, task }
  return queryOptions({
    queryKey: ["comparison", "explanation", query],
    queryFn: async ({ signal }) => (await getPooledExplanation({ ...ONCE, signal, query })).data,
    placeholderData: keepPreviousData,
    refetchInterval: active ? INTERVAL : false,
  })
}
