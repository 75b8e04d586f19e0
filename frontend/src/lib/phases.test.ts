import { expect, it } from "vitest"
import { minuteTicks, phaseColumns, phaseTotals } from "@/lib/phases"
import type { Series } from "@/lib/series"

function series(steps: number[], values: number[]): Series {
  return {
    name: "t",
    steps: Float64Array.from(steps),
    wall: Float64Array.from(steps),
    columns: [Float64Array.from(values)],
    spread: null,
  }
}

it("counts every tick of a bucket", () => {
  const bounds = { low: Float64Array.of(0, 0), high: Float64Array.of(9, 9) }
  const aggregated = {
    ...series([1, 2], [2, 5]),
    spread: { ...bounds, ticks: Float64Array.of(3, Number.NaN) },
  }
  expect(phaseColumns({ env: aggregated }, 1)[0]!.seconds.env).toBe(11)
})

it("adds ticks up when there are more than fit, losing none", () => {
  const columns = phaseColumns(
    { env: series([1, 2, 3, 4, 5], [1, 1, 1, 1, 1]), update: series([2, 4], [10, 20]) },
    2,
  )
  expect(columns.map(({ fromStep, toStep }) => [fromStep, toStep])).toEqual([
    [0, 3],
    [3, 5],
  ])
  expect(columns.map(({ seconds }) => [seconds.env, seconds.update])).toEqual([
    [3, 10],
    [2, 20],
  ])
})

it("orders totals by time and leaves out phases that took none", () => {
  const totals = phaseTotals(
    phaseColumns({ env: series([1], [1]), update: series([1], [3]), evolve: series([1], [0]) }, 10),
  )
  expect(totals).toEqual([
    { phase: "update", seconds: 3, share: 0.75 },
    { phase: "env", seconds: 1, share: 0.25 },
  ])
})

it("does not count what is not a number", () => {
  expect(phaseTotals(phaseColumns({ env: series([1, 2], [Number.NaN, 2]) }, 10))[0]!.seconds).toBe(2)
})

it("marks long times at round minutes", () => {
  expect(minuteTicks(40)).toBeNull()
  expect(minuteTicks(95)).toEqual([0, 30, 60, 90])
  expect(minuteTicks(275)).toEqual([0, 60, 120, 180, 240])
  expect(minuteTicks(4000)).toEqual([0, 900, 1800, 2700, 3600])
  expect(minuteTicks(1e9)).toBeNull()
})
