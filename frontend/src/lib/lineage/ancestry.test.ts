import { describe, expect, it } from "vitest"
import { ancestralColumn, lanesOf, populationBand, schedule, stretchesOf } from "@/lib/lineage/ancestry"
import { decodeLineage } from "@/lib/lineage/spans"
import { decodeSeries } from "@/lib/series"
import { ancestry, metricSeries, runLineage } from "@/testing/samples"

const lineage = decodeLineage(runLineage())
const { spans } = lineage
const stretches = stretchesOf(ancestry(5), lineage)

describe("lanes of an ancestry", () => {
  it("lead from the founder to the descendant", () => expect(lanesOf(stretches)).toEqual([0, 3, 1]))
  it("name a lane once, however often its member was reset", () =>
    expect(lanesOf([...stretches, stretches[2]!])).toEqual([0, 3, 1]))
})

describe("stretches", () => {
  it("cover time once, without gaps", () =>
    expect(stretches.map(({ from, to }) => [from, to])).toEqual([
      [0, 2000],
      [2000, 4000],
      [4000, 6000],
    ]))

  it("grow with the run while their member lives", () =>
    expect(stretchesOf(ancestry(5), { ...lineage, end_step: 7000 }).at(-1)!.to).toBe(7000))

  it("end with a member that was replaced", () =>
    expect(stretchesOf(ancestry(3), { ...lineage, end_step: 7000 }).map(({ to }) => to)).toEqual([2000]))

  it("reads each tick from the slot of its ancestor, the evaluation at a birth from the parent", () => {
    // 100 × tick + slot: slot 0 up to step 2000, slot 3 up to 4000, then slot 1.
    expect(Array.from(ancestralColumn(stretches, decodeSeries(metricSeries())))).toEqual([
      0, 100, 203, 303, 401, 501,
    ])
  })

  it("leaves out ticks after a member's end", () => {
    const ended = stretchesOf(ancestry(3), lineage)
    expect(Array.from(ancestralColumn(ended, decodeSeries(metricSeries())))).toEqual([
      3,
      103,
      ...Array(4).fill(Number.NaN),
    ])
  })

  it("gives the schedule that was lived through, with what each birth did", () => {
    expect(schedule(stretches, "discount")).toEqual([
      { from: 0, to: 2000, value: 0.9, change: "draw", span: 0 },
      { from: 2000, to: 4000, value: 0.94, change: "x1.2", span: 4 },
      { from: 4000, to: 6000, value: 0.95, change: "resample", span: 5 },
    ])
  })

  it("knows nothing of a hyper-parameter that is not there", () =>
    expect(schedule(stretches, "momentum")).toEqual([]))
})

it("bands the population between births", () => {
  expect(populationBand(spans, "discount", 6000)).toEqual([
    { from: 0, to: 2000, low: 0.9, high: 0.93 },
    { from: 2000, to: 4000, low: 0.9, high: 0.94 },
    { from: 4000, to: 6000, low: 0.9, high: 0.95 },
  ])
})
