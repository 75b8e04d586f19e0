/** What an explanation says in words. */

import type { Estimate, Explanation, HyperparameterExplanation, SelectionNoise } from "@/api/types"
import { parameterAxis, sayValue } from "@/lib/explain"
import { formatInteger, formatPercent } from "@/lib/format"

export function describeImportance(importance: Estimate | null): string {
  if (!importance) return "cannot be said"
  if (importance.low !== null && importance.low > 0) return "matters"
  return importance.value > 0.05 ? "may matter" : "no effect seen"
}

export function sayLevels({ levels, tuned }: HyperparameterExplanation): string {
  const axis = parameterAxis(tuned)
  return levels
    .map(({ low, high, progress }) => {
      const from = sayValue(axis, low)
      const values = low === high ? from : `${from} to ${sayValue(axis, high)}`
      return `${values}: ${progress.toFixed(2)}`
    })
    .join(" · ")
}

export function describeSureness({ explained, observed, needed, unit }: Explanation): string {
  if (!explained) {
    return observed < needed
      ? `Importance cannot be said yet: ${formatInteger(observed)} spans have been evaluated, and ${formatInteger(needed)} are needed.`
      : "Importance cannot be said: no value, or no progress, differed between spans."
  }
  const share = explained.value > 0 ? formatPercent(explained.value) : "nothing"
  return (
    `Together they predict ${share} of the differences in progress between ${formatInteger(observed)} spans; the ` +
    `rest is chance, interactions and whatever was not tuned. Intervals are over ${unit}s. Values were chosen by the ` +
    "method and not at random, so this is a hint where to look, and no proof."
  )
}

export function describeNoise({ copies, known, donor_again, ahead_again, chance }: SelectionNoise): string {
  if (copies === 0) return "No member was copied from another one, so there was no selection."
  if (ahead_again === null)
    return `Unknown: evaluations of a single episode have no standard error (${formatInteger(copies)} copies).`
  const again =
    donor_again === null
      ? ""
      : ` A donor would be among the donors again in ${formatPercent(donor_again)} of repetitions` +
        `${chance === null ? "" : `; by lot it would be ${formatPercent(chance)}`}.`
  return (
    `On average a donor is ahead of the member that it replaced with a probability of ${formatPercent(ahead_again)}, ` +
    `given the error of the evaluations.${again} Over ${formatInteger(known)} of ${formatInteger(copies)} copies.`
  )
}
