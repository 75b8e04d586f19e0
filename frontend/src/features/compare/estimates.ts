import type { Estimate } from "@/api/types"
import { formatValue } from "@/lib/format"

/** 90.0 [84.2, 95.1]; without an interval the value alone. */
export function formatEstimate(estimate: Estimate | null | undefined): string {
  if (!estimate) return "–"
  const { value, low, high } = estimate
  if (low === null || high === null) return formatValue(value)
  return `${formatValue(value)} [${formatValue(low)}, ${formatValue(high)}]`
}

export const STATISTIC_NAMES = { mean: "Mean", median: "Median", iqm: "IQM" } as const
