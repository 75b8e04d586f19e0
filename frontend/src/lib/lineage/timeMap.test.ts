import { expect, it } from "vitest"
import { decodeSpan } from "@/lib/lineage/spans"
import { stepOfWall, timeMap, wallOfStep } from "@/lib/lineage/timeMap"
import { decodeSeries } from "@/lib/series"
import { metricSeries, runLineage } from "@/testing/samples"

const spans = runLineage().spans.map(decodeSpan)
const map = timeMap(spans, decodeSeries(metricSeries()), 7000, 33)

it("knows the time of each tick and birth", () => {
  expect(wallOfStep(map, 0)).toBe(1)
  expect(wallOfStep(map, 1000)).toBe(6)
  expect(wallOfStep(map, 7000)).toBe(33)
})

it("interpolates between them and holds beyond them", () => {
  expect(wallOfStep(map, 6500)).toBe(30.5)
  expect(wallOfStep(map, 99999)).toBe(33)
})

it("is its own inverse", () => expect(stepOfWall(map, wallOfStep(map, 5300))).toBeCloseTo(5300))
