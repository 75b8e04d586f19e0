import { describe, expect, it } from "vitest"
import { decodeRun, type RunEvent } from "@/api/types"
import { decodeSpan } from "@/lib/lineage/spans"
import { applyEvent, applyEvents, runView } from "@/lib/run/runView"
import { runLineage, runRead, span } from "@/testing/samples"

const wire = runLineage()
const start = runView(decodeRun(runRead()), { ...wire, spans: wire.spans.map(decodeSpan) }, 1)

function metrics(seq: number, step: number, frames: Record<string, (number | "NaN")[]>): RunEvent {
  return { kind: "metrics", seq, step, wall: step / 100, frames }
}

describe("applyEvent", () => {
  it("ignores events that were sent before", () => {
    expect(applyEvent(start, metrics(9, 7000, { "evaluation/return": [1, 2, 3, 4] }))).toBe(start)
  })

  it("gathers frames by name and moves the run on", () => {
    const view = applyEvents(start, [
      metrics(10, 7000, { "evaluation/return": [1, 2, "NaN", 4], "time/env": [0.5] }),
      metrics(11, 8000, { "evaluation/return": [5, 6, 7, 8] }),
    ])
    const returns = view.streamed["evaluation/return"]!
    expect(Array.from(returns.steps)).toEqual([7000, 8000])
    expect(Array.from(returns.columns[2]!)).toEqual([Number.NaN, 7])
    expect(view.streamed["time/env"]!.columns).toHaveLength(1)
    expect(view).toMatchObject({ lastSeq: 11, endWall: 80, run: { step: 8000 }, lineage: { end_step: 8000 } })
  })

  it("lets children be born where and when the event says", () => {
    const { start_step, end_step, start_wall, ...child } = span({ id: 6, slot: 2, parent: 5 })
    const view = applyEvent(start, { kind: "lineage", seq: 10, step: 6000, wall: 31, spans: [child] })
    expect(view.lineage.spans.at(-1)).toMatchObject({
      id: 6,
      start_step: 6000,
      end_step: null,
      start_wall: 31,
    })
    expect(view.lineage.spans.find(({ id }) => id === 2)!.end_step).toBe(6000)
  })

  it("marks the span of a member that diverged", () => {
    const broken = { member: 2, span: 2, metric: "critic_loss", value: "NaN", hyperparams: {} } as const
    const view = applyEvent(start, { kind: "diverged", seq: 10, step: 4100, wall: 30, ...broken })
    const [marked] = view.lineage.spans.filter(({ diverged }) => diverged)
    expect(marked).toMatchObject({
      id: 2,
      diverged: { step: 4100, metric: "critic_loss", value: Number.NaN },
    })
    expect(start.lineage.spans.every(({ diverged }) => diverged === null)).toBe(true)
  })

  it("remembers where the run was interrupted", () => {
    const view = applyEvent(start, { kind: "interrupted", seq: 10, step: 4100, wall: 30, reason: "stopped" })
    expect(view.run.interruptions).toEqual([{ step: 4100, reason: "stopped" }])
  })

  it("learns how the run is executed", () => {
    const view = applyEvent(start, {
      kind: "started",
      seq: 10,
      step: 0,
      wall: 0,
      resumed: false,
      strategy: "vectorized",
      explanation: "asked for",
      devices: ["gpu:0"],
      versions: {},
      parameters: 9000,
    })
    expect(view).toMatchObject({
      run: { strategy: "vectorized", devices: ["gpu:0"], step: 4000 },
    })
  })

  it("only moves on at a checkpoint", () => {
    const event = {
      kind: "checkpoint",
      seq: 10,
      step: 6000,
      wall: 30,
      number: 1,
      file: "a",
      bytes: 1,
      sha256: "",
    } as const
    expect(applyEvent(start, event)).toMatchObject({ lastSeq: 10, run: { step: 6000 }, streamed: {} })
  })

  it.each([
    [
      { kind: "finished", reason: "plateau", best_member: 1, fitness: -120 },
      { status: "finished", end_reason: "plateau" },
    ],
    [{ kind: "stopped" }, { status: "stopped" }],
    [
      {
        kind: "failed",
        message: "loss is NaN",
        remedy: "lower it",
        member: 2,
        hyperparams: { discount: "NaN" },
      },
      {
        status: "failed",
        error: {
          message: "loss is NaN",
          remedy: "lower it",
          member: 2,
          hyperparams: { discount: Number.NaN },
        },
      },
    ],
  ])("ends with %j", (outcome, run) => {
    const event = { seq: 10, step: 6000, wall: 30, ...outcome } as RunEvent
    expect(applyEvent(start, event).run).toMatchObject(run)
  })

  it("takes over a status", () => {
    const run = decodeRun(runRead({ status: "stopping", env_steps_per_second: "NaN" }))
    expect(applyEvent(start, { kind: "status", run }).run).toBe(run)
  })

  it("is outdated by a rewind below what it holds, and only by that", () => {
    expect(applyEvent(start, { kind: "rewind", seq: 5, attempt: 2 }).outdated).toBe(true)
    expect(applyEvent(start, { kind: "rewind", seq: 10, attempt: 2 }).outdated).toBe(false)
  })

  it("never changes the view it was given", () => {
    const before = structuredClone(start)
    applyEvents(start, [metrics(10, 7000, { a: [1] }), { kind: "rewind", seq: 0, attempt: 2 }])
    expect(start).toEqual(before)
  })
})
