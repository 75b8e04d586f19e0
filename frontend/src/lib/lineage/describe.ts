/** Lineage in words, for notes, tables and screen readers. */

import { formatName, formatSlot, formatValue } from "@/lib/format"
import type { Lineage, Span } from "@/lib/lineage/spans"

/** `x1.2` → `×1.2`; `inherit` → `kept`. */
export function describeChange(change: string): string {
  if (change === "inherit") return "kept"
  return change.replace(/^x(?=\d)/, "×")
}

/** The tuned hyper-parameters that a birth changed. */
export function changedNames(span: Span): string[] {
  return Object.entries(span.changes)
    .filter(
      ([name, change]) => change !== "inherit" && span.hyperparams_before?.[name] !== span.hyperparams[name],
    )
    .map(([name]) => name)
}

export function describeExploit(lineage: Lineage, child: number): string {
  const born = lineage.spans.find(({ id }) => id === child)
  const donor = lineage.spans.find(({ id }) => id === born?.parent)
  if (!born || !donor) return ""
  const changes = changedNames(born).map(
    (name) => `${formatName(name)} ${describeChange(born.changes[name]!)}`,
  )
  const returns =
    born.fitness === null
      ? ""
      : ` Return ${formatValue(born.fitness)}, donor ${formatValue(born.parent_fitness)}.`
  const changed = changes.length ? ` Changed: ${changes.join(", ")}.` : " Nothing else changed."
  return `Step ${born.start_step.toLocaleString("en-US")}: ${formatSlot(born.slot)} copies ${formatSlot(donor.slot)}.${returns}${changed}`
}
