import { describe, expect, it } from "vitest"
import { spreadLabels } from "@/charts/endLabels"

describe("spreadLabels", () => {
  it("leaves labels alone that have room", () =>
    expect(spreadLabels([10, 50, 30], 12, 0, 100)).toEqual([10, 50, 30]))

  it("spreads a cluster around its middle", () =>
    expect(spreadLabels([50, 50, 50], 10, 0, 100)).toEqual([40, 50, 60]))

  it("joins clusters that grow into each other", () => {
    const placed = spreadLabels([50, 50, 58, 58], 10, 0, 100)
    expect(placed).toEqual([39, 49, 59, 69])
  })

  it("stays within the limits and keeps the order", () => {
    const placed = spreadLabels([2, 1, 3], 10, 0, 100)
    expect(placed).toEqual([10, 0, 20])
    expect(spreadLabels([99, 100], 10, 0, 100)).toEqual([90, 100])
  })

  it("needs no labels", () => expect(spreadLabels([], 10, 0, 100)).toEqual([]))
})
