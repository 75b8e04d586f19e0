import { describe, expect, it } from "vitest"
import {
  memoryDetail,
  memoryVerdict,
  millisecondsOf,
  sizesOf,
  speedDetail,
  speedVerdict,
  updatesOf,
} from "@/lib/advice"
import { speedAdvice, workerAdvice } from "@/testing/advice"

describe("memory", () => {
  it("reports how many fit, and when it is too many", () => {
    expect(memoryVerdict(workerAdvice(), 8)).toBe("Up to 40 fit into its memory")
    expect(memoryVerdict(workerAdvice({ limit: "host" }), 41)).toBe(
      "41 members are too many: 40 fit into its host memory",
    )
    expect(memoryVerdict(workerAdvice({ members: 1 }), 1)).toBe("Up to 1 fits into its memory")
    expect(memoryVerdict(workerAdvice({ members: 0, limit: "device" }), 1)).toBe(
      "Not even one member fits into its device memory",
    )
    expect(memoryDetail(workerAdvice(), 8)).toBe("8 need about 1 GB of 6 GB usable")
  })
})

describe("speed", () => {
  it("reports where one more stops being nearly free", () => {
    expect(speedVerdict(speedAdvice())).toBe("Nearly free up to 8 members")
    expect(speedVerdict(speedAdvice({ nearly_free_up_to: 16 }))).toBe(
      "Nearly free up to 16 members, the most that was measured",
    )
    expect(speedVerdict(speedAdvice({ nearly_free_up_to: 1 }))).toBe(
      "No member is nearly free: each one adds its cost",
    )
    expect(speedDetail(speedAdvice(), 8)).toBe(
      "One more than 8 adds about 0.5 ms to each update, 25% of what a single member takes",
    )
    expect(speedDetail(speedAdvice({ one_more_milliseconds: 7 }), 8)).toMatch(/7 ms .*, 3.5 times what/)
  })

  it("owns up to other sizes", () => {
    expect(sizesOf(speedAdvice())).toBe("batch 256, hidden 256 × 256")
    expect(sizesOf(speedAdvice({ is_same_size: false }))).toMatch(/nearest/)
  })
})

it("knows how long an update takes between and beyond the measured sizes", () => {
  const speed = speedAdvice()
  expect(millisecondsOf(speed, 1)).toBe(2)
  expect(millisecondsOf(speed, 12)).toBeCloseTo(4.5)
  expect(millisecondsOf(speed, 18)).toBeCloseTo(7.5)
})

it("counts the updates of a run that has a replay", () => {
  expect(updatesOf({ budget: { env_steps: 12_000 }, replay: { ratio: 2, warmup: 1000 } })).toBe(22_000)
  expect(updatesOf({ budget: { env_steps: 12_000 }, replay: null })).toBeNull()
  expect(updatesOf(null)).toBeNull()
})
