/** Lineage queries: gains per operator, and lineages imported from elsewhere. */

import "@/api/errors"
import { queryOptions } from "@tanstack/react-query"
import { getLineageSummary, importRayLineage } from "@/api/generated/sdk.gen"
import { decodeOptional } from "@/lib/decode"
import { decodeSpan, type Lineage } from "@/lib/lineage/spans"

export interface OperatorGain {
  operator: string
  births: number
  overReplaced: number | null
  besideParent: number | null
}

/** Mean gain per operator. `exploits` is part of the key, so a new copy triggers a new request. */
export function operatorGainsQuery(run: number, exploits: number, active: boolean) {
  return queryOptions({
    queryKey: ["runs", run, "gains", exploits],
    queryFn: async ({ signal }): Promise<OperatorGain[]> => {
      const { data } = await getLineageSummary({ throwOnError: true, signal, path: { id: run } })
      return data.operators.map(({ operator, births, over_replaced, beside_parent }) => ({
        operator,
        births,
        overReplaced: decodeOptional(over_replaced),
        besideParent: decodeOptional(beside_parent),
      }))
    },
    // Children are measured at their first evaluation, which comes after their birth.
    refetchInterval: active ? 10_000 : false,
    placeholderData: (previous) => previous,
  })
}

/** The lineage recorded in Ray's files; nothing is stored. */
export async function readRayLineage(files: Record<string, string>): Promise<Lineage> {
  const { data } = await importRayLineage({ throwOnError: true, body: { files } })
  return { ...data, spans: data.spans.map((span) => decodeSpan(span, span)) }
}
