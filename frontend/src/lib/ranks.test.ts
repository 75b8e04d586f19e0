import { describe, expect, it } from "vitest"
import { slowRank } from "@/lib/ranks"
import { rankRead } from "@/testing/samples"

const ranks = (...seconds: (number | null)[]) =>
  seconds.map((each, rank) => rankRead({ rank, seconds_per_segment: each }))

describe("the slow rank", () => {
  it("is the one that takes clearly longer than the others", () => {
    expect(slowRank(ranks(1, 2))).toBe(1)
    expect(slowRank(ranks(1.3, 1, 1))).toBe(0)
  })

  it("is nobody where all take about as long, or nothing is known", () => {
    expect(slowRank(ranks(1, 1.1, 1.15))).toBeNull()
    expect(slowRank(ranks(1, null))).toBeNull()
    expect(slowRank([])).toBeNull()
  })
})
