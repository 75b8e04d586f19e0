/** Lineage in words, for notes, tables and screen readers. */

import { formatName, formatSlot, formatValue } from "@/lib/format"
import type { Divergence, Lineage, Span } from "@/lib/lineage/spans"

/** `x1.2` → `×1.2`; `1-x x0.8`, of a number near 1 → `1-x ×0.8`; `inherit` → `kept`. */
export function describeChange(change: string): string {
  if (change === "inherit") return "kept"
  return change.replace(/^(1-x )?x(?=\d)/, "$1×")
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
  const fitness =
    born.fitness === null
      ? ""
      : ` Fitness ${formatValue(born.fitness)}, donor ${formatValue(born.parent_fitness)}.`
  const changed = changes.length ? ` Changed: ${changes.join(", ")}.` : " Nothing else changed."
  return `Step ${born.start_step.toLocaleString("en-US")}: ${formatSlot(born.slot)} copies ${formatSlot(donor.slot)}.${fitness}${changed}`
}

/** `critic_loss became NaN before step 12,000`. */
export function describeDivergence({ step, metric, value }: Divergence): string {
  const number = Number.isFinite(value) ? formatValue(value) : String(value)
  return `${formatName(metric)} became ${number} before step ${step.toLocaleString("en-US")}`
}

export interface Reason {
  label: string
  value: string
}

/** The most asked-for names first; other names follow in the order in which they were reported. */
const ORDER = [
  ...["predicted_mean", "acquisition", "length_scale", "time_decay", "category_time_decay", "mix"],
  ...["trained", "elite_weight"],
  ...["coefficient_before", "log_determinant"],
]

/** A mean is shown with its deviation, a change with the value before; NaN means unknown and is left out. */
export function describeReasons(reasons: Readonly<Record<string, number>>): Reason[] {
  const known = Object.entries(reasons)
    .filter(([, value]) => !Number.isNaN(value))
    .sort(([left], [right]) => placeOf(left) - placeOf(right))
  const values = new Map(known)
  return known.flatMap(([name, value]): Reason[] => {
    if (name === "trained") return [{ label: "weights", value: value ? "sampled, then trained" : "sampled" }]
    if (values.has(`${name}_before`)) return []
    const stem = name.replace(/_(mean|deviation|before)$/, "")
    if (name.endsWith("_deviation") && values.has(`${stem}_mean`)) return []
    const after = name.endsWith("_before") ? values.get(stem) : undefined
    if (after !== undefined)
      return [{ label: label(stem), value: `${formatValue(value)} → ${formatValue(after)}` }]
    const deviation = name.endsWith("_mean") ? values.get(`${stem}_deviation`) : undefined
    if (deviation !== undefined)
      return [{ label: label(stem), value: `${formatValue(value)} ± ${formatValue(deviation)}` }]
    return [{ label: label(name), value: formatValue(value) }]
  })
}

function placeOf(name: string): number {
  const place = ORDER.indexOf(name)
  return place < 0 ? ORDER.length : place
}

/** `bandit_weight/augmentation` → `bandit weight of augmentation`; `arm_0.5` → `success of arm 0.5`. */
function label(name: string): string {
  if (name === "elite_weight") return "elite weight of its predecessor"
  const arm = name.match(/^arm_(.+)$/)
  return arm ? `success of arm ${arm[1]}` : name.split("/").map(formatName).join(" of ")
}
