import { describe, expect, it } from "vitest"
import { barAt, type LineageInput } from "@/lib/lineage/layoutLineage"
import { layoutTree } from "@/lib/lineage/layoutTree"
import { decodeSpan, type Span } from "@/lib/lineage/spans"
import { span } from "@/testing/samples"

function born(id: number, slot: number, parent: number | null, start: number, end: number | null): Span {
  const wire = span({ id, slot, parent, start_step: start, end_step: end })
  return decodeSpan(wire)
}

// Slot 3 copies 0 at 2000 (4), slot 1 copies 3 at 4000 (5), slot 0 copies 1 at 5000 (6). Founders 1 and 3 died out.
const SPANS = [
  born(0, 0, null, 0, 5000),
  born(1, 1, null, 0, 4000),
  born(2, 2, null, 0, null),
  born(3, 3, null, 0, 2000),
  born(4, 3, 0, 2000, null),
  born(5, 1, 4, 4000, null),
  born(6, 0, 5, 5000, null),
]

function inputOf(spans: readonly Span[], populationSize: number): LineageInput {
  return {
    spans,
    populationSize,
    endStep: 6000,
    ticks: Float64Array.of(1000, 2000, 3000, 4000, 5000),
    toPixel: (step) => 50 + step / 10,
    frame: { left: 50, right: 650, top: 10, laneHeight: 20 },
  }
}

const tree = layoutTree(inputOf(SPANS, 4))

describe("lanes", () => {
  it("are the living, each below whom it left, founder by founder", () =>
    expect(tree.lanes.map(({ slot, middle }) => [slot, middle])).toEqual([
      [3, 20],
      [1, 40],
      [0, 60],
      [2, 80],
    ]))
  it("give the height", () => expect(tree.height).toBe(90))
})

describe("branches", () => {
  const bars = tree.bars.map(({ span, lane, left, right }) => [span.id, lane.slot, left, right])

  it("show an ancestor until its heir takes its line over, and nobody who died out", () =>
    expect(bars).toEqual([
      [0, 3, 50, 250],
      [4, 3, 250, 450],
      [4, 3, 450, 650],
      [5, 1, 450, 550],
      [5, 1, 550, 650],
      [6, 0, 550, 650],
      [2, 2, 50, 650],
    ]))

  it("are as thick as they have living descendants", () => {
    const thickness = tree.bars.map(({ height }) => height)
    expect(thickness[0]).toBe(thickness[1])
    expect(thickness[1]).toBeGreaterThan(thickness[3]!)
    expect(thickness[2]).toBe(3)
    expect(thickness[3]).toBeGreaterThan(3)
  })

  it("are found under the pointer", () => {
    expect(barAt(tree, 300, 20)?.span.id).toBe(4)
    expect(barAt(tree, 100, 40)).toBeNull()
  })
})

it("joins branches where a copy was made", () => {
  expect(tree.arcs.map(({ child, x, fromY, toY }) => [child, x, fromY, toY])).toEqual([
    [4, 250, 20, 20],
    [5, 450, 20, 40],
    [6, 550, 40, 60],
  ])
})

it("never lets branches cross", () => {
  // Everybody copies somebody, at random but always the same.
  let state = 7
  const random = (below: number) => {
    state = (state * 16807) % 2147483647
    return state % below
  }
  const spans = Array.from({ length: 12 }, (_, slot) => born(slot, slot, null, 0, null))
  const living = spans.map(({ id }) => id)
  for (let step = 100; step < 6000; step += 100) {
    const [slot, donor] = [random(12), random(12)]
    if (slot === donor) continue
    spans[living[slot]!] = { ...spans[living[slot]!]!, end_step: step }
    spans.push(born(spans.length, slot, living[donor]!, step, null))
    living[slot] = spans.length - 1
  }
  const layout = layoutTree(inputOf(spans, 12))
  expect(layout.lanes.map(({ slot }) => slot).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, slot) => slot),
  )
  for (const { x, fromY, toY } of layout.arcs) {
    const between = layout.bars.filter(
      ({ lane, left, right }) => lane.middle > fromY && lane.middle < toY && left < x && right > x,
    )
    expect(between).toEqual([])
    expect(toY).toBeGreaterThanOrEqual(fromY)
  }
})

it("is empty without members", () =>
  expect(layoutTree(inputOf([], 0))).toEqual({ lanes: [], bars: [], arcs: [], height: 10 }))
