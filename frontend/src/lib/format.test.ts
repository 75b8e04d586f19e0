import { describe, expect, it } from "vitest"
import {
  formatAge,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatParameter,
  formatPercent,
  formatSeconds,
  formatSteps,
  formatTick,
  formatValue,
} from "@/lib/format"

describe("hyper-parameters", () => {
  it("says the name where the value stands for one", () => {
    expect(formatParameter(1, ["crop", "flip"])).toBe("flip")
    expect(formatParameter(0.99, null)).toBe("0.99")
    expect(formatParameter(undefined, ["crop"])).toBe("–")
  })
})

describe("numbers", () => {
  it.each([
    [950, "950"],
    [4125, "4,125"],
    [12000, "12k"],
    [1_250_000, "1.25M"],
    [null, "–"],
  ])("count %s", (value, text) => expect(formatCount(value)).toBe(text))
  it.each([
    [500, "500"],
    [4500, "4.5k"],
    [635000, "635k"],
  ])("steps %d", (value, text) => expect(formatSteps(value)).toBe(text))
  it.each([
    [-146.234, "−146.2"],
    [0.00312, "0.00312"],
    [0.000012, "1.2e-5"],
    [0, "0"],
    [Number.NaN, "–"],
    [Number.NEGATIVE_INFINITY, "−∞"],
    [undefined, "–"],
  ])("value %s", (value, text) => expect(formatValue(value)).toBe(text))
  it.each([
    [-1600, "−1,600"],
    [0.25, "0.25"],
    [0.0001, "1e-4"],
    [2_500_000, "2.5M"],
    [0, "0"],
  ])("tick %d", (value, text) => expect(formatTick(value)).toBe(text))
  it.each([
    [0, "0%"],
    [0.004, "<1%"],
    [0.999, "99%"],
    [1, "100%"],
  ])("percent %d", (value, text) => expect(formatPercent(value)).toBe(text))
  it.each([
    [12, "12 B"],
    [5_120_000, "5.12 MB"],
  ])("bytes %d", (value, text) => expect(formatBytes(value)).toBe(text))
})

describe("times", () => {
  it.each([
    [0, "0 s"],
    [8, "8 s"],
    [200, "3 min 20 s"],
    [7200, "2 h"],
    [273_600, "3 d 4 h"],
    [null, "–"],
  ])("duration %s", (value, text) => expect(formatDuration(value)).toBe(text))
  it.each([
    [5.64, "5.6 s"],
    [0.12, "0.12 s"],
    [61, "1 min 1 s"],
  ])("seconds %d", (value, text) => expect(formatSeconds(value)).toBe(text))
  it.each([
    [7.9, "0:07"],
    [725, "12:05"],
    [3723, "1:02:03"],
  ])("clock %d", (value, text) => expect(formatClock(value)).toBe(text))
  it("age", () => {
    const now = Date.parse("2026-01-01T01:00:00Z")
    expect(formatAge("2026-01-01T00:59:58Z", now)).toBe("just now")
    expect(formatAge("2026-01-01T00:55:00Z", now)).toBe("5 min ago")
    expect(formatAge(null, now)).toBe("–")
  })
})
