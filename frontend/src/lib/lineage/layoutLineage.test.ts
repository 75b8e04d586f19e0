import { describe, expect, it } from "vitest"
import { barAt, type LineageInput, laneHeightFor, layoutLineage } from "@/lib/lineage/layoutLineage"
import { decodeSpan } from "@/lib/lineage/spans"
import { runLineage } from "@/testing/samples"

const input: LineageInput = {
  spans: runLineage().spans.map(decodeSpan),
  populationSize: 4,
  endStep: 6000,
  ticks: Float64Array.of(1000, 2000, 3000, 4000, 5000),
  // 6000 steps on 600 pixels behind a gutter of 50.
  toPixel: (step) => 50 + step / 10,
  frame: { left: 50, right: 650, top: 10, laneHeight: 20 },
}
const layout = layoutLineage(input)
const barOf = (id: number) => layout.bars.find(({ span }) => span.id === id)!

describe("lanes", () => {
  it("lie below each other, one per slot", () =>
    expect(layout.lanes.map(({ slot, top, middle }) => [slot, top, middle])).toEqual([
      [0, 10, 20],
      [1, 30, 40],
      [2, 50, 60],
      [3, 70, 80],
    ]))
  it("give the height", () => expect(layout.height).toBe(90))
  it("shrink for large populations, within reason", () => {
    expect(laneHeightFor(8)).toBe(32)
    expect(laneHeightFor(20)).toBe(16)
    expect(laneHeightFor(500)).toBe(8)
  })
})

describe("bars", () => {
  it("last as long as their span", () => {
    expect([barOf(3).left, barOf(3).right]).toEqual([50, 250])
    expect([barOf(4).left, barOf(4).right]).toEqual([250, 650])
  })

  it("lie in the middle of their lane", () => expect(barOf(3).top + barOf(3).height / 2).toBe(80))

  it("are cut at evaluations; what is after the last one waits for its value", () => {
    expect(barOf(5).pieces.map(({ from, to, tick }) => [from, to, tick])).toEqual([
      [450, 550, 4],
      [550, 650, null],
    ])
  })

  it("take the evaluation at their end, which was made before the child was born", () =>
    expect(barOf(3).pieces.map(({ tick }) => tick)).toEqual([0, 1]))

  it("cover their length without gaps", () => {
    for (const bar of layout.bars) {
      expect(bar.pieces[0]!.from).toBe(bar.left)
      expect(bar.pieces.at(-1)!.to).toBe(bar.right)
      bar.pieces.slice(1).forEach((piece, index) => {
        expect(piece.from).toBe(bar.pieces[index]!.to)
      })
    }
  })
})

describe("arcs", () => {
  it("fall from the donor's lane into the receiver's at the step of the exploit", () =>
    expect(layout.arcs.map(({ parent, child, x, fromY, toY }) => ({ parent, child, x, fromY, toY }))).toEqual(
      [
        { parent: 0, child: 4, x: 250, fromY: 20, toY: 80 },
        { parent: 4, child: 5, x: 450, fromY: 80, toY: 40 },
      ],
    ))

  it("never reach back into the selection before", () => {
    const crowded = layoutLineage({ ...input, toPixel: (step) => 50 + step / 200 })
    for (const { reach } of crowded.arcs) expect(reach).toBeLessThan(10)
  })
})

describe("zoomed in", () => {
  // Steps 3000 to 6000 fill the frame.
  const zoomed = layoutLineage({ ...input, toPixel: (step) => 50 + (step - 3000) / 5 })

  it("clips bars at the frame and leaves out what is not in sight", () => {
    expect(zoomed.bars.map(({ span }) => span.id)).toEqual([0, 1, 2, 4, 5])
    for (const { left, right } of zoomed.bars) {
      expect(left).toBeGreaterThanOrEqual(50)
      expect(right).toBeLessThanOrEqual(650)
    }
  })

  it("leaves out exploits that are not in sight", () =>
    expect(zoomed.arcs.map(({ child }) => child)).toEqual([5]))
})

describe("pointing", () => {
  it("finds the span of the lane at that time", () => {
    expect(barAt(layout, 100, 75)?.span.id).toBe(3)
    expect(barAt(layout, 300, 75)?.span.id).toBe(4)
  })
  it("finds no bar beside the timeline", () => {
    expect(barAt(layout, 20, 75)).toBeNull()
    expect(barAt(layout, 300, 200)).toBeNull()
  })
})

it("is empty without members", () =>
  expect(layoutLineage({ ...input, spans: [], populationSize: 0 })).toEqual({
    lanes: [],
    bars: [],
    arcs: [],
    height: 10,
  }))
