/** The advice on population size, in words. */

import type { SpeedAdvice, WorkerAdvice } from "@/api/types"
import { formatBytes, formatInteger, formatPercent, formatValue } from "@/lib/format"

const PLACES = { memory: "memory", device: "device memory", host: "host memory" }

/** Whether a population has room, and how large one could be. */
export function memoryVerdict({ members: most, limit }: WorkerAdvice, members: number): string {
  if (most === 0) return `Not even one member fits into its ${PLACES[limit]}`
  const upTo = `${formatInteger(most)} ${most === 1 ? "fits" : "fit"} into its ${PLACES[limit]}`
  return members > most ? `${formatInteger(members)} members are too many: ${upTo}` : `Up to ${upTo}`
}

export function memoryDetail({ needed_bytes, usable_bytes }: WorkerAdvice, members: number): string {
  return `${formatInteger(members)} need about ${formatBytes(needed_bytes)} of ${formatBytes(usable_bytes)} usable`
}

/** Where one more member stops being nearly free. */
export function speedVerdict(speed: SpeedAdvice): string {
  const largest = speed.points.at(-1)?.population_size ?? 1
  const free = speed.nearly_free_up_to
  if (free === 1) return "No member is nearly free: each one adds its cost"
  if (free === largest) return `Nearly free up to ${free} members, the most that was measured`
  return `Nearly free up to ${free} members`
}

export function speedDetail(speed: SpeedAdvice, members: number): string {
  const { one_more_milliseconds: more, single_milliseconds: single } = speed
  const share =
    more < 2 * single ? `${formatPercent(more / single)} of` : `${(more / single).toFixed(1)} times`
  return `One more than ${formatInteger(members)} adds about ${formatValue(more)} ms to each update, ${share} what a single member takes`
}

export function sizesOf({ batch_size, hidden, is_same_size }: SpeedAdvice): string {
  const sizes = `batch ${batch_size}, hidden ${hidden.join(" × ")}`
  return is_same_size ? sizes : `${sizes}: the nearest sizes that were measured`
}

/** Of one update of a population of this size: between two measured sizes on a line, beyond the last one by its cost. */
export function millisecondsOf(
  { points, one_more_milliseconds: more }: SpeedAdvice,
  members: number,
): number {
  const above = points.findIndex(({ population_size: size }) => size >= members)
  const [low, high] = [points[above - 1], points[above]]
  const last = points.at(-1)
  if (high === undefined)
    return last ? last.milliseconds + (members - last.population_size) * more : Number.NaN
  if (low === undefined || high.population_size === members) return high.milliseconds
  const share = (members - low.population_size) / (high.population_size - low.population_size)
  return low.milliseconds + share * (high.milliseconds - low.milliseconds)
}

/** Gradient updates of a run with a replay; null for rollouts, whose number the spec alone does not say. */
export function updatesOf(spec: Record<string, unknown> | null): number | null {
  const budget = spec?.budget as { env_steps?: number } | undefined
  const replay = spec?.replay as { ratio?: number; warmup?: number } | null | undefined
  if (!budget?.env_steps || !replay?.ratio) return null
  return Math.max(0, budget.env_steps - (replay.warmup ?? 0)) * replay.ratio
}
