import { describe, expect, it } from "vitest"
import type { Hyperparameter } from "@/api/types"
import { describeGiven, draw, kindsOf, readGiven, suggest, writeGiven } from "@/lib/distributions"

const RATE: Hyperparameter = {
  name: "policy_learning_rate",
  description: "",
  default: 3e-4,
  low: 0,
  high: null,
  is_integer: false,
  names: null,
  scale: "log",
  search: { log_uniform: [3e-5, 3e-3] },
}
const DELAY: Hyperparameter = {
  ...RATE,
  default: 2,
  low: 1,
  high: 1e6,
  is_integer: true,
  scale: "linear",
  search: null,
}
const NAMES: Hyperparameter = { ...RATE, default: "crop", names: ["crop", "flip"], search: null }

describe("what a spec says", () => {
  it("is read and written", () => {
    expect(readGiven(0.99)).toEqual({ kind: "fixed", values: ["0.99"] })
    const given = { kind: "log_uniform", values: ["1e-4", "0.01"] } as const
    expect(readGiven(writeGiven({ ...given, values: [...given.values] }))).toEqual(given)
    expect(writeGiven({ kind: "fixed", values: ["3e-4"] })).toBe("3e-4")
  })
  it.each([undefined, null, { uniform: 3 }, { wrong: [1] }, { uniform: [1], choice: [1] }])(
    "is not %j",
    (value) => expect(readGiven(value)).toBeNull(),
  )
})

describe("a suggestion", () => {
  it("is the recommended range, else around the default, within what is legal", () => {
    expect(suggest("log_uniform", RATE).values).toEqual(["0.00003", "0.003"])
    expect(suggest("choice", RATE).values).toEqual(["0.00003", "0.0003", "0.003"])
    expect(suggest("int_uniform", DELAY)).toEqual({ kind: "int_uniform", values: ["1", "20"] })
    expect(suggest("choice", NAMES).values).toEqual(["crop", "flip"])
    const noise: Hyperparameter = { ...RATE, scale: "linear", default: 0.1, search: { uniform: [0, 1] } }
    expect(suggest("log_uniform", noise).values).toEqual(["0.01", "1"])
  })
  it("is offered for kinds that make sense", () => {
    expect(kindsOf(NAMES)).toEqual(["fixed", "choice"])
    expect(kindsOf(DELAY)).not.toContain("uniform")
  })
})

describe("a picture", () => {
  it("of a log-uniform number is flat where the axis is of factors", () => {
    const picture = draw({ kind: "log_uniform", values: ["3e-5", "3e-3"] }, RATE)!
    expect(picture.axis).toBe("log")
    expect(new Set(picture.curve.map(({ height }) => height))).toEqual(new Set([1]))
    expect(picture.usual).toBeCloseTo(0.5)
  })
  it("of a uniform number rises there: nine tenths of the draws are of the last factor of ten", () => {
    const { curve } = draw({ kind: "uniform", values: ["3e-5", "3e-3"] }, RATE)!
    expect(curve[0]!.height).toBeCloseTo(0.01)
    expect(curve.at(-1)!.height).toBe(1)
  })
  it("of whole numbers and choices has a stem for each", () => {
    expect(draw({ kind: "int_uniform", values: ["1", "5"] }, DELAY)!.stems).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(draw({ kind: "choice", values: ["1", "3"] }, DELAY)!.stems).toEqual([0, 1])
  })
  it("waits for numbers", () => {
    expect(draw({ kind: "uniform", values: ["0.1", "x"] }, RATE)).toBeNull()
    expect(draw({ kind: "fixed", values: ["crop"] }, NAMES)).toBeNull()
  })
  it("is said in words, too", () => {
    expect(describeGiven({ kind: "log_uniform", values: ["1e-4", "0.01"] })).toBe(
      "from 1e-4 to 0.01, half of the members below 0.001",
    )
    expect(describeGiven({ kind: "choice", values: ["1", "2"] })).toBe("one of 1, 2, each as likely")
  })
})
