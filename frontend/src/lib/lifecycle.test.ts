import { expect, it } from "vitest"
import { JobStatus } from "@/api/types"
import { shownStatus, verbsOf, verbsOfAll } from "@/lib/lifecycle"

it("offers what the service allows in each status", () => {
  const offered = Object.fromEntries(Object.values(JobStatus).map((status) => [status, verbsOf({ status })]))
  expect(offered).toEqual({
    queued: ["pause", "stop"],
    dispatched: ["pause", "stop"],
    running: ["pause", "stop"],
    stopping: [],
    paused: ["resume", "stop"],
    finished: ["extend"],
    stopped: ["resume", "extend"],
    failed: ["retry"],
  })
  const pausing = { status: "running", is_pausing: true }
  expect([verbsOf(pausing), shownStatus(pausing)]).toEqual([["resume", "stop"], "pausing"])
})

it("offers of several what fits one, and extends all or none", () => {
  expect(verbsOfAll([{ status: "running" }, { status: "failed" }, { status: "finished" }])).toEqual([
    "retry",
    "pause",
    "stop",
  ])
  expect(verbsOfAll([{ status: "finished" }, { status: "stopped" }])).toEqual(["resume", "extend"])
  expect(verbsOfAll([])).toEqual([])
})
