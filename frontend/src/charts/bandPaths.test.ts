import { expect, it } from "vitest"
import { bandPath, extentOf, linePath, nearestIndex } from "@/charts/bandPaths"

const same = (value: number) => value

it("leaves gaps where nothing is known", () => {
  expect(linePath([0, 1, 2, 3], [5, null, 7, 8], same, same)).toBe("M0.0 5.0M2.0 7.0L3.0 8.0")
  const band = { x: [0, 1, 2, 3, 4], low: [1, 1, null, 2, 2], high: [3, 4, null, 5, 6] }
  expect(bandPath(band, same, same)).toBe(
    "M0.0 3.0L1.0 4.0L1.0 1.0L0.0 1.0ZM3.0 5.0L4.0 6.0L4.0 2.0L3.0 2.0Z",
  )
})

it("finds the range of what is known, and the nearest point", () => {
  expect(
    extentOf([
      [null, 3],
      [Number.NaN, -2],
    ]),
  ).toEqual([-2, 3])
  expect(extentOf([[4], []])).toEqual([3, 5])
  expect(extentOf([[null]])).toEqual([0, 1])
  expect([-1, 0, 4, 6, 10, 11].map((place) => nearestIndex([0, 10], place))).toEqual([null, 0, 0, 1, 1, null])
})
