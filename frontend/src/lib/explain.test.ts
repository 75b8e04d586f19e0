import { describe, expect, it } from "vitest"
import {
  bestSpans,
  colourClasses,
  isBrushed,
  outcomeAxis,
  parameterAxis,
  placeOn,
  sayValue,
  thinOut,
  ticksOf,
  valueAt,
} from "@/lib/explain"
import { spanOutcome } from "@/testing/explanations"

const RATE = parameterAxis({
  name: "rate",
  scale: "log",
  low: 1e-5,
  high: 1e-3,
  names: null,
  read: "training",
})
const PROGRESS = outcomeAxis("progress", [])

describe("places of spans on axes", () => {
  it("follow the scale of the hyper-parameter, and back", () => {
    expect(placeOn(RATE, spanOutcome({ values: { rate: 1e-4 } }))).toBeCloseTo(0.5)
    expect(valueAt(RATE, 0.5)).toBeCloseTo(1e-4)
    expect(valueAt(PROGRESS, 0.25)).toBe(0.25)
  })

  it("are unknown without a value, and never beyond the bounds", () => {
    expect(placeOn(RATE, spanOutcome({ values: {} }))).toBeNaN()
    expect(placeOn(RATE, spanOutcome({ values: { rate: 1 } }))).toBe(1)
  })

  it("of returns have the range that was seen", () => {
    const spans = [-5, null, 15].map((last_return) => spanOutcome({ last_return }))
    expect(outcomeAxis("last_return", spans)).toMatchObject({ low: -5, high: 15 })
    expect(outcomeAxis("gain", [])).toMatchObject({ low: 0, high: 1 })
  })

  it("of shares have 0.5 in their middle", () => {
    const spans = [0.27, 0.6].map((progress) => spanOutcome({ progress }))
    expect(outcomeAxis("progress", spans)).toMatchObject({ low: 0.25, high: 0.75 })
  })

  it("of whole numbers are said without decimals", () => {
    expect(sayValue({ integer: true, names: null }, 146)).toBe("146")
    expect(sayValue({ integer: false, names: ["none", "crop"] }, 1)).toBe("crop")
    expect(sayValue({ integer: false, names: null }, null)).toBe("–")
  })

  it("are labelled by names, or at the ends and the middle", () => {
    expect(ticksOf(RATE).map(({ text }) => text)).toEqual(["1e-5", "1e-4", "0.001"])
    const kinds = { name: "kind", scale: "choice", low: 0, high: 2, read: "training" } as const
    expect(ticksOf(parameterAxis({ ...kinds, names: ["none", "crop", "flip"] }))).toEqual([
      { place: 0, text: "none" },
      { place: 0.5, text: "crop" },
      { place: 1, text: "flip" },
    ])
    const many = Array.from({ length: 9 }, (_, index) => `kind ${index}`)
    expect(ticksOf(parameterAxis({ ...kinds, high: 8, names: many })).map(({ place }) => place)).toEqual([
      0, 1,
    ])
  })
})

describe("brushing", () => {
  it("keeps spans that lie on every brushed part", () => {
    const span = spanOutcome({ values: { rate: 1e-4 }, progress: 0.9 })
    expect(isBrushed(span, [RATE, PROGRESS], {})).toBe(true)
    expect(isBrushed(span, [RATE, PROGRESS], { rate: [0.4, 0.6], progress: [0.8, 1] })).toBe(true)
    expect(isBrushed(span, [RATE, PROGRESS], { rate: [0.4, 0.6], progress: [0, 0.5] })).toBe(false)
  })

  it("drops spans whose place is unknown", () => {
    expect(isBrushed(spanOutcome({ progress: null }), [PROGRESS], { progress: [0, 1] })).toBe(false)
  })
})

describe("choosing spans", () => {
  const spans = [0.1, null, 0.9, 0.5].map((progress, span) => spanOutcome({ progress, span }))

  it("colours them by outcome, the unknown ones first and without a colour", () => {
    const classes = colourClasses(spans, PROGRESS, "light")
    expect(classes.map((each) => each.spans.map(({ span }) => span))).toEqual([[1], [0], [3], [2]])
    expect(classes[0]!.colour).toBeUndefined()
    expect(new Set(classes.map(({ colour }) => colour)).size).toBe(4)
  })

  it("lists the best first", () => {
    expect(bestSpans(spans, PROGRESS, 2).map(({ span }) => span)).toEqual([2, 3])
  })

  it("thins out evenly", () => {
    expect(thinOut([0, 1, 2, 3, 4, 5], 3)).toEqual([0, 2, 4])
    expect(thinOut([0, 1], 3)).toEqual([0, 1])
  })
})
