import { describe, expect, it } from "vitest"
import { decodeColumns, decodeNumber, decodeOptional, decodeRecord } from "@/lib/decode"

describe("decodeNumber", () => {
  it.each([
    [1.5, 1.5],
    [0, 0],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["NaN", Number.NaN],
    [null, Number.NaN],
  ])("reads %j as %d", (wire, value) => expect(decodeNumber(wire)).toBe(value))

  it("names what it cannot read", () => expect(() => decodeNumber("12")).toThrow(/"12"/))
})

it("keeps absence apart from NaN", () => {
  expect(decodeOptional(null)).toBeNull()
  expect(decodeOptional("NaN")).toBeNaN()
})

it("decodes records", () =>
  expect(decodeRecord({ a: 1, b: "Infinity" })).toEqual({ a: 1, b: Number.POSITIVE_INFINITY }))

describe("decodeColumns", () => {
  it("turns ticks into one column per member", () => {
    const [first, second] = decodeColumns([
      [1, 10],
      ["NaN", 20],
      [3, "-Infinity"],
    ])
    expect(Array.from(first!)).toEqual([1, Number.NaN, 3])
    expect(Array.from(second!)).toEqual([10, 20, Number.NEGATIVE_INFINITY])
  })

  it("fills short rows with NaN", () =>
    expect(Array.from(decodeColumns([[1], [1, 2]])[1]!)).toEqual([Number.NaN, 2]))
  it("has no columns without ticks", () => expect(decodeColumns([])).toEqual([]))
})
