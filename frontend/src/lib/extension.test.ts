import { describe, expect, it } from "vitest"
import type { ExtensionOutlook } from "@/api/types"
import { changedLimits, firstForm, problemOf } from "@/lib/extension"

const FINISHED: ExtensionOutlook = {
  budget: { env_steps: 12000, seconds: null, target_return: null, plateau: null },
  ended_by: "env_steps",
  refusal: null,
  steps_refusal: null,
  remedy: null,
}
const REACHED: ExtensionOutlook = {
  ...FINISHED,
  budget: {
    env_steps: 12000,
    seconds: 60,
    target_return: 100,
    plateau: { evaluations: 5, improvement: 0.1 },
  },
  ended_by: "target_return",
}

describe("a larger budget", () => {
  it("begins with twice the steps, or without the limit that was reached", () => {
    expect(changedLimits(FINISHED, firstForm(FINISHED))).toEqual({ env_steps: 24000 })
    expect(changedLimits(REACHED, firstForm(REACHED))).toEqual({ target_return: null })
    const fixed = { ...FINISHED, ended_by: null, steps_refusal: "the learning rate decays" }
    expect(changedLimits(fixed, firstForm(fixed))).toEqual({})
  })

  it("is checked before the service is asked", () => {
    const form = firstForm(REACHED)
    expect(problemOf(REACHED, form)).toBeNull()
    expect(problemOf(REACHED, { ...form, target_return: "100" })).toContain("target return")
    expect(problemOf(REACHED, { ...form, env_steps: "many" })).toBe("Steps per member must be a number.")
    expect(problemOf(REACHED, { ...form, seconds: "" })).toBe("Seconds must be a number.")
    expect(problemOf(FINISHED, { env_steps: "11000" })).toBe("Steps per member can only grow.")
    expect(problemOf({ ...FINISHED, ended_by: null }, { env_steps: "12000" })).toBe("Nothing is changed yet.")
  })

  it("takes limits away", () => {
    expect(changedLimits(REACHED, { ...firstForm(REACHED), plateau: null, seconds: null })).toEqual({
      plateau: null,
      seconds: null,
      target_return: null,
    })
  })
})
