import { describe, expect, it } from "vitest"
import {
  ancestralColumn,
  ancestryOf,
  foundersOf,
  generationsOfLiving,
  lanesOf,
  lineageStatistics,
  populationBand,
  schedule,
  stitch,
} from "@/lib/lineage/ancestry"
import { decodeSpan } from "@/lib/lineage/spans"
import { decodeSeries } from "@/lib/series"
import { metricSeries, runLineage, span } from "@/testing/samples"

const spans = runLineage().spans.map((wire) => decodeSpan(wire, wire))
const path = ancestryOf(spans, 5)
const stretches = stitch(path, 6000)

describe("ancestry", () => {
  it("leads from the founder to the descendant", () => expect(path.map(({ id }) => id)).toEqual([0, 4, 5]))
  it("of a founder is itself", () => expect(ancestryOf(spans, 2).map(({ id }) => id)).toEqual([2]))
  it("names a lane once, however often its member was reset", () => {
    const renewed = { ...path[2]!, id: 9, parent: 5 }
    expect(lanesOf([...path, renewed])).toEqual(path.map(({ slot }) => slot))
  })
  it("of nobody is empty", () => expect(ancestryOf(spans, 99)).toEqual([]))
})

describe("stitching", () => {
  it("covers time once, without gaps", () =>
    expect(stretches.map(({ from, to }) => [from, to])).toEqual([
      [0, 2000],
      [2000, 4000],
      [4000, 6000],
    ]))

  it("ends with a member that was replaced", () =>
    expect(stitch(ancestryOf(spans, 3), 6000).map(({ to }) => to)).toEqual([2000]))

  it("reads each tick from the slot of its ancestor, the evaluation at a birth from the parent", () => {
    // 100 × tick + slot: slot 0 up to step 2000, slot 3 up to 4000, then slot 1.
    expect(Array.from(ancestralColumn(stretches, decodeSeries(metricSeries())))).toEqual([
      0, 100, 203, 303, 401, 501,
    ])
  })

  it("leaves out ticks after a member's end", () => {
    const ended = stitch(ancestryOf(spans, 3), 6000)
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

it("counts the generations of the living", () => {
  expect(generationsOfLiving(spans)).toEqual(
    new Map([
      [0, 0],
      [5, 2],
      [2, 0],
      [4, 1],
    ]),
  )
})

it("knows every span's founder", () => {
  expect([...foundersOf(spans)].map(([id, founder]) => [id, founder.id])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 0],
    [5, 0],
  ])
})

describe("statistics", () => {
  it("count exploits, founders and the largest family", () => {
    expect(lineageStatistics(spans)).toEqual({
      exploits: 2,
      founders: 4,
      foundersAlive: 2,
      largestFamily: 0.75,
      generationsToCommonAncestor: null,
    })
  })

  it("find the latest common ancestor", () => {
    const child = span({ id: 4, slot: 1, parent: 0, start_step: 100 })
    const grandchild = span({ id: 5, slot: 0, parent: 4, start_step: 200 })
    const founders = [span({ id: 0, slot: 0, end_step: 200 }), span({ id: 1, slot: 1, end_step: 100 })]
    const all = [...founders, child, grandchild].map((wire) => decodeSpan(wire, wire))
    // Living: span 4 and its child 5; their latest common ancestor is 4 itself, one copy back.
    expect(lineageStatistics(all)).toMatchObject({
      foundersAlive: 1,
      generationsToCommonAncestor: 1,
      largestFamily: 1,
    })
  })

  it("are zero before anyone is born", () =>
    expect(lineageStatistics([])).toMatchObject({
      exploits: 0,
      foundersAlive: 0,
      generationsToCommonAncestor: null,
    }))
})
