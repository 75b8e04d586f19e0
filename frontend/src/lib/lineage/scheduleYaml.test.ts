import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { ancestryOf, stitch } from "@/lib/lineage/ancestry"
import { scheduleYaml } from "@/lib/lineage/scheduleYaml"
import { decodeSpan, type TunedParameter } from "@/lib/lineage/spans"
import { runLineage, span } from "@/testing/samples"

const { spans: wire, tuned } = runLineage()
const spans = wire.map((each) => decodeSpan(each, each))

function lived(hyperparams: Record<string, number>) {
  const founder = span({ id: 0, slot: 0, hyperparams })
  return stitch([decodeSpan(founder, founder)], 6000)
}

describe("a schedule in YAML", () => {
  it("has an entry wherever a value changed", () => {
    expect(scheduleYaml(stitch(ancestryOf(spans, 5), 6000), tuned.slice(0, 1))).toBe(
      `name: schedule
schedule:
- {step: 0, values: {discount: 0.9}}
- {step: 2000, values: {discount: 0.94}}
- {step: 4000, values: {discount: 0.95}}
`,
    )
  })

  it("writes numbers short, exact for 32 bits, and so that YAML 1.1 reads numbers", () => {
    const values = { discount: Math.fround(0.1), policy_learning_rate: Math.fround(1e-7) }
    const text = scheduleYaml(lived(values), tuned)!
    expect(text).toContain("discount: 0.1, policy_learning_rate: 1.0e-7")
    const read = parse(text, { version: "1.1" }).schedule[0].values
    expect(Math.fround(read.policy_learning_rate)).toBe(values.policy_learning_rate)
  })

  it("calls categories by their names", () => {
    const augmentation: TunedParameter = {
      name: "augmentation",
      scale: "choice",
      low: 0,
      high: 1,
      names: ["crop", "flip"],
    }
    expect(scheduleYaml(lived({ augmentation: 1 }), [augmentation])).toContain("{augmentation: flip}")
  })

  it("is nothing where nothing is tuned", () => expect(scheduleYaml(lived({ discount: 1 }), [])).toBeNull())
})
