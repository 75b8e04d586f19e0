import { fireEvent, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import { explanation, spanOutcome } from "@/testing/explanations"
import { type Api, type Call, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, lineageSummary, metricSeries, pageOf, runLineage, runRead } from "@/testing/samples"

const API: Api = {
  "GET /api/v1/experiments/3": experimentRead(),
  "GET /api/v1/runs/7": runRead(),
  "GET /api/v1/runs/7/lineage": runLineage(),
  "GET /api/v1/runs/7/lineage/summary": lineageSummary(),
  "GET /api/v1/runs/7/metrics": ({ query }: Call) => ({
    series: query.getAll("name").map((name) => metricSeries(name)),
  }),
  "GET /api/v1/runs/7/metrics/names": pageOf(["evaluation/return"]),
  "GET /api/v1/runs/7/artifacts": pageOf([]),
  "GET /api/v1/runs/7/explanation": explanation(),
}

function show(change: Api = {}) {
  return renderAt("/experiments/3?tab=hyperparameters", { ...API, ...change })
}

describe("the hyper-parameters tab", () => {
  it("says which hyper-parameter matters, with its interval and direction", async () => {
    show()
    const row = (await screen.findByRole("rowheader", { name: "policy learning rate" })).closest("tr")!
    expect(within(row).getByText("matters")).toBeTruthy()
    expect(
      within(row).getByRole("img", { name: "policy learning rate: 0.42, from 0.20 to 0.60" }),
    ).toBeTruthy()
    expect(within(row).getByText(/1e-5 to 1e-4: 0.30 · 2e-4 to 0.001: 0.60/)).toBeTruthy()
    const other = screen.getByRole("rowheader", { name: "discount" }).closest("tr")!
    expect(within(other).getByText("no effect seen")).toBeTruthy()
    expect(screen.getByText(/predict 40% of the differences in progress between 24 spans/)).toBeTruthy()
  })

  it("flags a value that lay at its bound", async () => {
    show()
    expect(await screen.findByText("high bound, 62%")).toBeTruthy()
  })

  it("says how much of selection was luck", async () => {
    show()
    expect(
      await screen.findByText(/probability of 90%.*61% of repetitions; by lot it would be 25%/),
    ).toBeTruthy()
  })

  it("says that selection noise is unknown where evaluations have no error", async () => {
    const noise = { copies: 5, known: 0, donor_again: null, ahead_again: null, chance: null, donors: [] }
    show({ "GET /api/v1/runs/7/explanation": explanation({ noise }) })
    expect(await screen.findByText(/Unknown: evaluations of a single episode/)).toBeTruthy()
  })

  it("keeps what is brushed by keys, and shows all again", async () => {
    show()
    const end = await screen.findByRole("slider", { name: "progress, lower end" })
    expect(screen.getAllByRole("slider")).toHaveLength(6)
    fireEvent.keyDown(end, { key: "PageUp" })
    fireEvent.keyDown(end, { key: "PageUp" })
    expect(await screen.findByText(/2 of 3 spans/)).toBeTruthy()
    expect(end.getAttribute("aria-valuetext")).toBe("0.42")
    await userEvent.click(screen.getByRole("button", { name: "Show all" }))
    expect(screen.queryByText(/of 3 spans/)).toBeNull()
  })

  it("lists the best spans of the chosen outcome", async () => {
    const spans = [
      spanOutcome({ gain: 3 }),
      spanOutcome({ span: 1, member: 2, gain: 40 }),
      spanOutcome({ span: 2 }),
    ]
    show({ "GET /api/v1/runs/7/explanation": explanation({ spans }) })
    await userEvent.click(await screen.findByRole("radio", { name: "Gain" }))
    const table = screen.getByRole("columnheader", { name: "gain" }).closest("table")!
    expect(
      within(table)
        .getAllByRole("row")
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual([expect.stringMatching(/^M2.*40$/), expect.stringMatching(/^M0.*3$/)])
  })

  it("says how much is missing when there is too little data", async () => {
    const hyperparams = explanation().hyperparams.map((each) => ({ ...each, importance: null }))
    const few = explanation({ hyperparams, explained: null, observed: 4, needed: 25 })
    show({ "GET /api/v1/runs/7/explanation": few })
    expect(await screen.findByText(/4 spans have been evaluated, and 25 are needed/)).toBeTruthy()
  })

  it("pools the replicates when asked", async () => {
    const runs = [runRead(), runRead({ id: 8, replicate: 1 })]
    const { calls } = show({
      "GET /api/v1/experiments/3": experimentRead({ runs }),
      "GET /api/v1/comparisons/explanation": explanation({ observed: 99, unit: "run" }),
    })
    await userEvent.click(await screen.findByRole("radio", { name: "All 2 replicates" }))
    expect(await screen.findByText(/between 99 spans/)).toBeTruthy()
    const asked = calls.find(({ path }) => path.endsWith("/comparisons/explanation"))!
    expect(asked.query.getAll("experiments")).toEqual(["3"])
  })

  it("has states for nothing tuned, nothing born, loading and failure", async () => {
    const { unmount } = show({ "GET /api/v1/runs/7/explanation": explanation({ hyperparams: [] }) })
    expect(await screen.findByText("Nothing is tuned")).toBeTruthy()
    unmount()
    const born = show({ "GET /api/v1/runs/7/explanation": explanation({ spans: [] }) })
    expect(await screen.findByText("Nobody is born yet")).toBeTruthy()
    born.unmount()
    const waiting = show({ "GET /api/v1/runs/7/explanation": NEVER })
    expect(await screen.findByText("Loading the hyper-parameters")).toBeTruthy()
    waiting.unmount()
    show({ "GET /api/v1/runs/7/explanation": refusal(500, "The disk is full") })
    await waitFor(() => expect(screen.getByText("The hyper-parameters could not be loaded")).toBeTruthy())
  })
})
