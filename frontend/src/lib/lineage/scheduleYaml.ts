/** The schedule along an ancestry as YAML: the value of `population.method` in a spec, as `phylon schedule` writes it. */

import type { Stretch } from "@/lib/lineage/ancestry"
import type { TunedParameter } from "@/lib/lineage/spans"

interface Entry {
  step: number
  values: string
}

/** Null where no hyper-parameter is tuned or known. */
export function scheduleYaml(stretches: readonly Stretch[], tuned: readonly TunedParameter[]): string | null {
  const entries: Entry[] = []
  for (const { span, from } of stretches) {
    const values = tuned
      .filter(({ name }) => span.hyperparams[name] !== undefined)
      .map((parameter) => `${parameter.name}: ${spell(span.hyperparams[parameter.name]!, parameter)}`)
      .join(", ")
    if (!values || entries.at(-1)?.values === values) continue
    // Weights that were drawn late have no past, but a schedule begins at the beginning.
    const step = entries.length ? from : 0
    if (entries.at(-1)?.step === step) entries.pop() // values that never came into force
    entries.push({ step, values })
  }
  if (entries.length === 0) return null
  const lines = entries.map(({ step, values }) => `- {step: ${step}, values: {${values}}}\n`)
  return `name: schedule\nschedule:\n${lines.join("")}`
}

function spell(value: number, { names }: TunedParameter): string {
  const name = names?.[value]
  if (name !== undefined) return /^[a-z][\w-]*$/i.test(name) ? name : JSON.stringify(name)
  return spellNumber(value)
}

/**
 * As short as it can be read back by a trainer, which computes with 32 bits. YAML 1.1 reads `1e-5` as text, so that it
 * must be written `1.0e-5`.
 */
function spellNumber(value: number): string {
  let short = value
  if (Math.fround(value) === value) {
    const digits = Array.from({ length: 9 }, (_, place) => Number(value.toPrecision(place + 1)))
    short = digits.find((shorter) => Math.fround(shorter) === value) ?? value
  }
  const text = String(short)
  if (text.includes("e")) return text.replace(/^(-?\d+)e/, "$1.0e")
  return text.includes(".") ? text : `${text}.0`
}
