import { screen, within } from "@testing-library/react"
import { beforeEach, expect, it, vi } from "vitest"
import { lastVisit } from "@/features/home/lastVisit"
import { type Call, refusal, renderAt } from "@/testing/renderAt"
import { pageOf, summary } from "@/testing/samples"

beforeEach(() => localStorage.clear())

const QUEUE = {
  ...{ slots: 2, free_slots: 0, running: [], waiting_total: 2, shares: [] },
  waiting: [
    {
      ...{
        id: 9,
        kind: "run",
        name: "waits",
        experiment_id: 6,
        run_id: 7,
        payload_id: 7,
        owner_id: 1,
        owner: "local",
      },
      ...{ project_id: 1, project: "default", priority: "normal", devices: 1, position: 2, reason: "busy" },
      ...{
        since: "2026-01-01T00:00:00Z",
        explanation: "All devices are in use.",
        expected_start: null,
        basis: "",
      },
    },
  ],
}

function answer({ query }: Call) {
  const asked = query.get("query") ?? ""
  if (asked.includes("= running")) return pageOf([summary({ id: 1, name: "runs" })])
  if (asked.startsWith("status = failed"))
    return pageOf([summary({ id: 2, name: "broke", status: "failed", error_message: "loss is NaN" })])
  if (asked.includes("ended >"))
    return pageOf([
      summary({
        id: 3,
        name: "done",
        status: "finished",
        final_return: 12,
        ended_at: "2026-01-01T01:00:00Z",
      }),
    ])
  return pageOf([summary()])
}

it("says what runs, what ended, what failed and why, and what waits", async () => {
  renderAt("/", { "GET /api/v1/experiments": answer, "GET /api/v1/queue": QUEUE })
  const panel = async (name: string) => within(await screen.findByRole("region", { name }))
  expect(await (await panel("Running")).findByText("runs")).toBeTruthy()
  expect(await (await panel("Failed")).findByText("loss is NaN")).toBeTruthy()
  expect(await (await panel("Ended since you were here")).findByText("final 12")).toBeTruthy()
  const queue = await panel("Your place in the queue")
  expect(await queue.findByText("All devices are in use.")).toBeTruthy()
  expect(queue.getByTitle("Place in the queue").textContent).toBe("2")
})

it("has a word for each panel that is empty or failed", async () => {
  renderAt("/", {
    "GET /api/v1/experiments": ({ query }: Call) =>
      query.get("query")?.startsWith("archived") ? pageOf([summary()]) : pageOf([]),
    "GET /api/v1/queue": refusal(500, "The queue is away."),
  })
  expect(await screen.findByText("Nothing is running.")).toBeTruthy()
  expect(screen.getByText("Nothing has ended since you were here.")).toBeTruthy()
  expect(await screen.findByText("The queue is away.")).toBeTruthy()
})

it("remembers the visit before this one", () => {
  vi.setSystemTime(0)
  const hour = 3600_000
  expect(lastVisit(100 * hour)).toBe(76 * hour)
  expect(lastVisit(100 * hour + 60_000)).toBe(76 * hour)
  expect(lastVisit(105 * hour)).toBe(100 * hour + 60_000)
})
