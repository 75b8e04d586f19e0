/** Why a method did what it did, in words and numbers, for the note on a segment. */

import { formatName, formatValue } from "@/lib/format"

export interface Reason {
  label: string
  value: string
}

/** A mean is told together with the deviation that belongs to it; what is not a number was not known. */
export function describeReasons(reasons: Readonly<Record<string, number>>): Reason[] {
  const known = Object.entries(reasons).filter(([, value]) => !Number.isNaN(value))
  const values = new Map(known)
  return known.flatMap(([name, value]) => {
    const stem = name.replace(/_(mean|deviation)$/, "")
    const mean = values.get(`${stem}_mean`)
    if (name.endsWith("_deviation") && mean !== undefined) return []
    const deviation = name.endsWith("_mean") ? values.get(`${stem}_deviation`) : undefined
    if (deviation !== undefined)
      return [{ label: label(stem), value: `${formatValue(value)} ± ${formatValue(deviation)}` }]
    return [{ label: label(name), value: formatValue(value) }]
  })
}

/** `bandit_weight/augmentation` → `bandit weight of augmentation`. */
function label(name: string): string {
  return name.split("/").map(formatName).join(" of ")
}
