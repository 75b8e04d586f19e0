import type { Rank } from "@/api/types"

/** How much longer than the median a segment may take a host before it counts as slow. */
const SLOW = 1.2

/** The rank that all others wait for, where one takes clearly longer than the others. */
export function slowRank(ranks: readonly Rank[]): number | null {
  const known = ranks
    .flatMap(({ rank, seconds_per_segment: seconds }) => (seconds === null ? [] : [{ rank, seconds }]))
    .sort((one, other) => one.seconds - other.seconds)
  const slowest = known.at(-1)
  const median = known[Math.floor((known.length - 1) / 2)]
  if (known.length < 2 || !slowest || !median) return null
  return slowest.seconds > SLOW * median.seconds ? slowest.rank : null
}
