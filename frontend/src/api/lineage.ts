/** Questions about descent: what births brought, and lineages that come from elsewhere. */

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

/** What each operator brought. `exploits` is part of the key: a new copy asks anew. */
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

/** What Ray's files tell; nothing is stored. */
export async function readRayLineage(files: Record<string, string>): Promise<Lineage> {
  const { data } = await importRayLineage({ throwOnError: true, body: { files } })
  return { ...data, spans: data.spans.map((span) => decodeSpan(span, span)) }
}
