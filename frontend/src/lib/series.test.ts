import { describe, expect, it } from "vitest"
import {
  appendTick,
  countNonFinite,
  decodeSeries,
  emptySeries,
  extent,
  lastFinite,
  mergeSeries,
  nearestTick,
  robustExtent,
  type Series,
  summarise,
  tickAt,
} from "@/lib/series"

function series(steps: number[], ...columns: number[][]): Series {
  return {
    name: "m",
    steps: Float64Array.from(steps),
    wall: Float64Array.from(steps, (step) => step / 10),
    columns: columns.map((column) => Float64Array.from(column)),
    spread: null,
  }
}

describe("appendTick", () => {
  it("grows every column and leaves the old series alone", () => {
    const before = series([10], [1], [2])
    const after = appendTick(before, 20, 2, [3, "NaN"])
    expect(Array.from(after.steps)).toEqual([10, 20])
    expect(Array.from(after.columns[1]!)).toEqual([2, Number.NaN])
    expect(Array.from(before.steps)).toEqual([10])
  })

  it("ignores a tick that is already there", () => {
    const before = series([10], [1])
    expect(appendTick(before, 10, 1, [9])).toBe(before)
  })

  it("begins an empty series", () =>
    expect(Array.from(appendTick(emptySeries("m"), 5, 1, [7]).columns[0]!)).toEqual([7]))
})

describe("mergeSeries", () => {
  it("adds only streamed ticks that are later than what was loaded", () => {
    const merged = mergeSeries(series([10, 20], [1, 2]), series([20, 30], [99, 3]))
    expect(Array.from(merged.steps)).toEqual([10, 20, 30])
    expect(Array.from(merged.columns[0]!)).toEqual([1, 2, 3])
    expect(Array.from(merged.wall)).toEqual([1, 2, 3])
  })

  it("takes either side when the other is empty", () => {
    const loaded = series([10], [1])
    expect(mergeSeries(loaded, undefined)).toBe(loaded)
    expect(mergeSeries(emptySeries("m"), loaded)).toBe(loaded)
  })
})

it("decodes what the API sends", () => {
  const decoded = decodeSeries({
    name: "m",
    steps: [1, 2],
    wall: [0.5, 1],
    values: [
      [1, "NaN"],
      [2, 3],
    ],
    low: [
      [0, "NaN"],
      ["-Infinity", "NaN"],
    ],
    high: [
      [4, 9],
      ["Infinity", 5],
    ],
    ticks: [8, 3],
    is_exact: false,
  })
  expect(Array.from(decoded.columns[1]!)).toEqual([Number.NaN, 3])
  expect(decoded.spread!.low).toEqual(Float64Array.of(0, Number.NaN))
  expect(decoded.spread!.high).toEqual(Float64Array.of(9, 5))
  const merged = mergeSeries(decoded, series([3], [7], [8]))
  expect(merged.spread!.ticks).toEqual(Float64Array.of(8, 3, Number.NaN)) // a streamed tick is one
})

it("summarises the finite values of each tick", () => {
  const { best, median } = summarise(
    series([1, 2, 3], [1, 5, Number.NaN], [3, 1, Number.NaN], [8, Number.NaN, Number.NaN]),
  )
  expect(Array.from(best)).toEqual([8, 5, Number.NaN])
  expect(Array.from(median)).toEqual([3, 3, Number.NaN])
})

it("finds the range of finite values", () => {
  expect(extent([Float64Array.of(3, Number.NaN, Number.POSITIVE_INFINITY), Float64Array.of(-1)])).toEqual([
    -1, 3,
  ])
  expect(extent([Float64Array.of(Number.NaN)])).toBeNull()
})

it("leaves outliers out of the robust range", () => {
  const values = Float64Array.from({ length: 100 }, (_, index) => (index === 0 ? -1e9 : index))
  expect(robustExtent([values])).toEqual([2, 97])
})

it("counts values that cannot be drawn, but not those before a member's first", () => {
  expect(countNonFinite(series([1, 2, 3], [Number.NaN, 1, Number.NaN]))).toBe(1)
  expect(countNonFinite(series([1, 2], [Number.POSITIVE_INFINITY, 1]))).toBe(1)
})

it("remembers the last finite value", () => {
  expect(lastFinite(Float64Array.of(1, 2, Number.NaN))).toBe(2)
  expect(lastFinite(undefined)).toBeNaN()
})

describe("ticks around a position", () => {
  const ticks = Float64Array.of(10, 20, 30)
  it.each([
    [5, -1],
    [10, 0],
    [19, 0],
    [30, 2],
    [99, 2],
  ])("at or before %d is %d", (place, tick) => expect(tickAt(ticks, place)).toBe(tick))
  it.each([
    [5, 0],
    [14, 0],
    [16, 1],
    [99, 2],
  ])("nearest to %d is %d", (place, tick) => expect(nearestTick(ticks, place)).toBe(tick))
  it("is -1 without ticks", () => expect(nearestTick(new Float64Array(), 1)).toBe(-1))
})
