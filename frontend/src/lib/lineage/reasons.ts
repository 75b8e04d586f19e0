/** Why a method did what it did, in words and numbers, for the note on a span. */

import { formatName, formatValue } from "@/lib/format"

export interface Reason {
  label: string
  value: string
}

/** What a reader asks first comes first; names beyond these follow in the order in which they were told. */
const ORDER = [
  ...["predicted_mean", "acquisition", "length_scale", "time_decay", "category_time_decay", "mix"],
  ...["trained", "elite_weight"],
  ...["coefficient_before", "log_determinant"],
]

/** A mean is told with its deviation, a change with what was before; what is not a number was not known. */
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
