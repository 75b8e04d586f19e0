import { render, screen } from "@testing-library/react"
import { describe, expect, it } from "vitest"
import type { Run } from "@/api/generated/types.gen"
import { decodeRun } from "@/api/types"
import { RunResult } from "@/features/experiment/RunResult"
import { finalReturn, runRead } from "@/testing/samples"

function show(change: Partial<Run>): string {
  render(<RunResult run={decodeRun(runRead({ status: "finished", best_return: 905, ...change }))} />)
  return screen.queryByTestId("run-result")?.textContent ?? ""
}

describe("the result of a run", () => {
  it("is the final return with its interval, beside the best of training", () => {
    const text = show({ final: finalReturn() })
    expect(text).toContain("Final return812.4 ± 30.1")
    expect(text).toContain("50 unseen episodes, 95 % interval")
    expect(text).toContain("Best during training 905.0")
    expect(text).toMatch(
      /Member 3 won with 850.0 at its last evaluation, 37.6 more than here.*\(selection bias\)/,
    )
  })

  it("says when selection has not flattered the winner", () => {
    const text = show({ final: finalReturn({ last_return: 800, selection_bias: -12.4 }) })
    expect(text).toContain("won with 800.0 at its last evaluation, 12.4 less than here")
    expect(text).not.toContain("selection bias")
  })

  it("does not call the gap between levels a selection bias", () => {
    const text = show({ final: finalReturn({ unseen_levels: true }) })
    expect(text).toContain("on levels that it trained on: 37.6 more than on all levels")
    expect(text).not.toContain("selection bias")
  })

  it("has no interval of a single episode, and no difference of what is no number", () => {
    const text = show({
      final: finalReturn({ low: "NaN", high: "NaN", last_return: "NaN", selection_bias: "NaN" }),
    })
    expect(text).toContain("Final return812.4")
    expect(text).not.toContain("±")
    expect(text).toContain("Member 3 won.")
  })

  it("is the last return, named so, where there was no final evaluation", () => {
    const text = show({ final: null, last_return: 850 })
    expect(text).toContain("Last return850.0")
    expect(text).toContain("no final evaluation")
  })

  it("is not there yet while the run goes on", () => {
    expect(show({ status: "running", final: null })).toBe("")
  })

  it("is being measured when training is done and the run goes on", () => {
    const text = show({ status: "running", step: 12_000, final: null })
    expect(text).toContain("plays episodes that no selection saw")
  })
})
