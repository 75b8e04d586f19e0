import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { beforeEach, describe, expect, it, vi } from "vitest"
import type { ExperimentGroup, GroupExperiment } from "@/api/generated/types.gen"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { summary } from "@/testing/samples"

function row(id: number, task: string, change: Partial<GroupExperiment> = {}): GroupExperiment {
  const name = `dmc15-${task}`
  return {
    ...summary({ id, name, group: { id: 2, name: "dmc15" } }),
    score: 500,
    low: null,
    high: null,
    is_final: true,
    samples: 10,
    ...change,
  }
}

function group(change: Partial<ExperimentGroup> = {}): ExperimentGroup {
  return {
    id: 2,
    name: "dmc15",
    description: "Fifteen tasks.",
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    size: 2,
    status: "running",
    counts: { running: 1, queued: 1 },
    progress: 0.25,
    yaml: "kind: group\n",
    of: "tasks",
    experiments: [
      row(8, "walker-run"),
      row(9, "fish-swim", { status: "queued", score: null, is_final: false, samples: 0 }),
    ],
    comparable: true,
    aggregate: {
      experiments: 1,
      samples: 10,
      mean: { value: 500, low: 480, high: 520 },
      interquartile_mean: { value: 510, low: 490, high: 530 },
    },
    ...change,
  }
}

function wide(matches: boolean) {
  vi.spyOn(window, "matchMedia").mockImplementation(
    (media) =>
      ({ ...new EventTarget(), matches, media, addEventListener() {}, removeEventListener() {} }) as never,
  )
}

beforeEach(() => wide(true))

function show(read: unknown = group(), api: Api = {}) {
  return renderAt("/groups/2", {
    "GET /api/v1/groups/2": read,
    "GET /api/v1/experiments": { items: [], total: 0 },
    ...api,
  })
}

describe("the page of a group", () => {
  it("shows its states, its progress and every experiment", async () => {
    show()
    expect(await screen.findByRole("heading", { name: "dmc15", level: 1 })).toBeTruthy()
    const states = screen.getByRole("list", { name: "Experiments by state" })
    expect(
      within(states)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["1Running", "1Queued"])
    expect(
      screen.getByRole("progressbar", { name: "Progress of the group" }).getAttribute("aria-valuenow"),
    ).toBe("25")
    const table = screen.getByRole("table")
    const links = within(table).getAllByRole("link")
    expect(links.map((link) => link.textContent)).toEqual(["dmc15-walker-run", "dmc15-fish-swim"])
    expect(links[0]!.getAttribute("href")).toBe("/experiments/8")
  })

  it("sums up with intervals, and says how many have finished", async () => {
    show()
    const panel = (await screen.findByRole("heading", { name: "Aggregate" })).closest("section")!
    expect(within(panel).getByText("95 %: 490.0 to 530.0")).toBeTruthy()
    expect(within(panel).getByText("95 %: 480.0 to 520.0")).toBeTruthy()
    expect(within(panel).getByText("1 of 2")).toBeTruthy()
    expect(within(panel).getByText("Final returns, in episodes that no selection saw")).toBeTruthy()
    expect(within(panel).getByText("0 finished so far")).toBeTruthy()
    expect(within(panel).getByRole("figure", { name: /IQM 510.0, Mean 500.0; 1 experiments/ })).toBeTruthy()
  })

  it("does not average arms, and leads to their comparison", async () => {
    show(group({ of: "arms", aggregate: null }))
    expect(await screen.findByRole("heading", { name: "Arms" })).toBeTruthy()
    expect(screen.queryByRole("heading", { name: "Aggregate" })).toBeNull()
    const link = screen.getAllByRole("link", { name: "Compare" }).at(-1)!
    expect(decodeURIComponent(link.getAttribute("href")!)).toBe("/compare?groups=[2]")
  })

  it("says which scores are not final", async () => {
    show(group({ experiments: [row(8, "walker-run"), row(9, "fish-swim", { is_final: false })] }))
    const table = await screen.findByRole("table")
    expect(within(table).getByText("final return")).toBeTruthy()
    expect(within(table).getByText("last return")).toBeTruthy()
    expect(
      screen.getByText("1 of 2 are final returns, the others of the last evaluation in training"),
    ).toBeTruthy()
  })

  it("has no interval for single samples, and no mean of what cannot be compared", async () => {
    const single = { value: 7, low: null, high: null }
    const first = show(
      group({ aggregate: { experiments: 2, samples: 2, mean: single, interquartile_mean: single } }),
    )
    expect(await screen.findAllByText("no interval: one sample per experiment")).toHaveLength(2)
    first.unmount()
    const second = show(group({ comparable: false, aggregate: null }))
    expect(await screen.findByText("These returns cannot be averaged")).toBeTruthy()
    second.unmount()
    show(group({ aggregate: null }))
    expect(await screen.findByText("No evaluation yet")).toBeTruthy()
  })

  it("stops all after asking", async () => {
    const stopped = group({ status: "stopped", counts: { stopped: 2 } })
    const { calls } = show(group(), { "POST /api/v1/groups/2/stop": stopped })
    await userEvent.click(await screen.findByRole("button", { name: "Stop all" }))
    expect(calls.some(({ method }) => method === "POST")).toBe(false)
    await userEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Stop all" }),
    )
    expect(await screen.findByRole("button", { name: "Delete" })).toBeTruthy()
    expect(calls.some(({ path }) => path === "/api/v1/groups/2/stop")).toBe(true)
  })

  it("is deleted when it is over", async () => {
    const { calls, router } = show(group({ status: "finished", counts: { finished: 2 } }), {
      "DELETE /api/v1/groups/2": null,
    })
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }))
    await userEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete" }),
    )
    await waitFor(() => expect(router.state.location.pathname).toBe("/experiments"))
    expect(calls.some(({ method, path }) => method === "DELETE" && path === "/api/v1/groups/2")).toBe(true)
  })

  it("becomes cards on a narrow screen", async () => {
    wide(false)
    show()
    expect(await screen.findByText("final 500.0")).toBeTruthy()
    expect(screen.queryByRole("table")).toBeNull()
  })

  it("says when it is empty, when it loads, when it fails and when it is not there", async () => {
    const empty = show(group({ size: 0, status: null, counts: {}, experiments: [], aggregate: null }))
    expect(await screen.findByText("No experiments are left")).toBeTruthy()
    empty.unmount()
    const waiting = show(NEVER)
    expect(await screen.findByText("Loading the group")).toBeTruthy()
    waiting.unmount()
    const failing = show(refusal(500, "The database is locked."))
    expect(await screen.findByText("The database is locked.")).toBeTruthy()
    failing.unmount()
    show(refusal(404, "There is no group 2."))
    expect(await screen.findByText("Page not found")).toBeTruthy()
  })
})
