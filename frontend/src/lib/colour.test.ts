import { describe, expect, it } from "vitest"
import { memberMark, sequentialColour, shareBetween, type Theme } from "@/lib/colour"

const THEMES: Theme[] = ["light", "dark"]

function luminance(colour: string): number {
  const [red, green, blue] = colour.match(/\d+/g)!.map((part) => {
    const value = Number(part) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

describe.each(THEMES)("the sequential scale, %s", (theme) => {
  it("becomes lighter all the way, so that it reads without colour", () => {
    const lights = Array.from({ length: 33 }, (_, index) => luminance(sequentialColour(index / 32, theme)))
    lights.slice(1).forEach((light, index) => {
      expect(light).toBeGreaterThan(lights[index]!)
    })
  })

  it("is held at its ends", () => {
    expect(sequentialColour(-3, theme)).toBe(sequentialColour(0, theme))
    expect(sequentialColour(7, theme)).toBe(sequentialColour(1, theme))
  })
})

describe("member marks", () => {
  it("are stable by slot", () => expect(memberMark(3, "light")).toEqual(memberMark(3, "light")))

  it.each(THEMES)("differ in colour or pattern for the first 32 members, %s", (theme) => {
    const marks = Array.from({ length: 32 }, (_, slot) => JSON.stringify(memberMark(slot, theme)))
    expect(new Set(marks).size).toBe(32)
  })
})

describe("shareBetween", () => {
  it("is linear or logarithmic", () => {
    expect(shareBetween(5, 0, 10, false)).toBe(0.5)
    expect(shareBetween(1e-3, 1e-4, 1e-2, true)).toBeCloseTo(0.5)
  })
  it("is the middle when there is no range", () => expect(shareBetween(1, 1, 1, false)).toBe(0.5))
  it("is unknown for what is not finite", () => expect(shareBetween(Number.NaN, 0, 1, false)).toBeNaN())
})
