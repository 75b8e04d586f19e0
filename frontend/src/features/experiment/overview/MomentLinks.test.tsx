import { fireEvent, screen, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import { type Api, type Call, renderAt } from "@/testing/renderAt"
import { experimentRead, lineageSummary, metricSeries, pageOf, runLineage, runRead } from "@/testing/samples"

const LINES = ["compiled", "step 1,000 of 4,000: return 5.0 best", "step 3,000 of 4,000: return 9.0 best"]

function film(id: number, step: number) {
  const video = { member: 0, span: 0, episode_return: 1, episode_steps: 200, ended: true }
  const file = {
    kind: "video",
    name: `${step}.mp4`,
    bytes: 1000,
    sha256: "a",
    created_at: "2026-01-01T00:00:00Z",
  }
  return { ...file, id, step, video }
}

const API: Api = {
  "GET /api/v1/experiments/3": experimentRead({ spec: { version: 2, videos: { interval: 1000 } } }),
  "GET /api/v1/runs/7": runRead(),
  "GET /api/v1/runs/7/lineage": runLineage(),
  "GET /api/v1/runs/7/lineage/summary": lineageSummary(),
  "GET /api/v1/runs/7/metrics": ({ query }: Call) => ({
    series: query.getAll("name").map((name) => metricSeries(name)),
  }),
  "GET /api/v1/runs/7/metrics/names": pageOf(["evaluation/return"]),
  "GET /api/v1/runs/7/artifacts": pageOf([film(1, 1000), film(2, 2000), film(3, 4000)]),
  "GET /api/v1/runs/7/logs": pageOf(
    LINES.map((text, line) => ({
      ...{ id: line, attempt: 1, rank: 0, line, wall: line, stream: "trainer", text },
      created_at: "2026-01-01T00:00:00Z",
    })),
  ),
}

async function enter(step: number) {
  const field = await screen.findByRole("spinbutton", { name: /enter a step/ })
  fireEvent.change(field, { target: { value: String(step) } })
}

describe("a moment of a curve", () => {
  it("leads to the log, which says what it marks", async () => {
    const { router } = renderAt("/experiments/3", API)
    expect(screen.queryByRole("link", { name: "Log at this step" })).toBeNull()
    await enter(2100)
    await userEvent.click(screen.getByRole("link", { name: "Log at this step" }))
    expect(await screen.findByText("Marked is the last line about step 2,100 or before.")).toBeTruthy()
    expect(router.state.location.search).toMatchObject({ tab: "logs", at: 2100 })
    await userEvent.click(screen.getByRole("button", { name: "Show all" }))
    expect(router.state.location.search).not.toHaveProperty("at", 2100)
  })

  it("says so when no line names the step", async () => {
    renderAt("/experiments/3?tab=logs&at=500", API)
    expect(await screen.findByText("No line names step 500 or an earlier one.")).toBeTruthy()
  })

  it("leads to the nearest video", async () => {
    renderAt("/experiments/3", API)
    await enter(2100)
    await userEvent.click(await screen.findByRole("link", { name: "Nearest video, step 2,000" }))
    expect(await screen.findByText("Filmed at step 2,000, the nearest to step 2,100.")).toBeTruthy()
    expect(within(screen.getByTestId("videos")).getAllByRole("figure")).toHaveLength(1)
  })

  it("offers no video where there is none", async () => {
    renderAt("/experiments/3", { ...API, "GET /api/v1/runs/7/artifacts": pageOf([]) })
    await enter(2000)
    expect(screen.queryByRole("link", { name: /video/i })).toBeNull()
  })
})
