import { describe, expect, it } from "vitest"
import {
  contendersOf,
  costLines,
  defaultBaseline,
  rowsOf,
  shapeName,
  shapesOf,
  speedupLines,
  toCsv,
} from "@/lib/studies"
import { measurement, study } from "@/testing/studies"

const JAX = { framework: "jax", strategy: "vectorized" } as const
const STUDY = study({
  measurements: [
    measurement({ population_size: 4, median: 8, low: 7, high: 10 }),
    measurement({ population_size: 1, median: 2, low: 2, high: 2 }),
    measurement({ ...JAX, population_size: 1, median: 1, low: 0.5, high: 2 }),
    measurement({ ...JAX, population_size: 4, status: "out_of_memory", median: null, low: null, high: null }),
    measurement({ fused_updates: 1, population_size: 1 }),
  ],
})
const SHAPE = shapeName({ fused: 50, batch: 256, hidden: [256, 256] })

describe("lines of a study", () => {
  it("are ordered by size and leave out what has no number", () => {
    const lines = costLines([STUDY], "td3", SHAPE)
    expect(lines.map(({ contender }) => contender)).toEqual(["torch sequential", "jax vectorized"])
    expect(lines[0]!.points.map(({ size }) => size)).toEqual([1, 4])
    expect(lines[1]!.points).toEqual([{ size: 1, value: 1, low: 0.5, high: 2 }])
    expect(costLines([STUDY], "sac", SHAPE)).toEqual([])
  })

  it("compare with the baseline of the same study only", () => {
    const other = study({ id: 2, measurements: [measurement({ ...JAX, population_size: 1, median: 1 })] })
    const lines = speedupLines(costLines([STUDY, other], "td3", SHAPE), "torch sequential")
    expect(lines.map(({ key }) => key)).toEqual(["1 torch sequential", "1 jax vectorized"])
    expect(lines[1]!.points).toEqual([{ size: 1, value: 2, low: 1, high: 4 }])
  })
})

describe("choices", () => {
  it("are each named once", () => {
    expect(shapesOf([STUDY, STUDY]).map(shapeName)).toEqual([
      SHAPE,
      "1 update per call, batch 256, hidden 256 × 256",
    ])
    expect(contendersOf([STUDY])).toEqual(["torch sequential", "jax vectorized"])
    expect(defaultBaseline(["jax auto", "jax sequential"])).toBe("jax sequential")
    expect(defaultBaseline([])).toBeUndefined()
  })
})

describe("the table", () => {
  it("has every cell of the shape, with its speed-up, and becomes a CSV", () => {
    const rows = rowsOf([STUDY], SHAPE, "torch sequential")
    expect(rows.map(({ speedup }) => speedup)).toEqual([1, 1, 2, null])
    const lines = toCsv(rows).trimEnd().split("\n")
    expect(lines).toHaveLength(5)
    expect(lines[1]).toContain('"A chip, fast",td3,torch,sequential,false,4,50,256,256x256,ok,8,7,10,1')
    expect(lines[4]).toContain("out_of_memory")
  })
})
