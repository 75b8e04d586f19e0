import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import type { Arm, ComparedCurves, Comparison } from "@/api/generated/types.gen"
import { explanation } from "@/testing/explanations"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { pageOf, summary } from "@/testing/samples"

function arm(id: number, name: string, value: number): Arm {
  const estimate = { value, low: value - 5, high: value + 5 }
  return {
    key: `experiment-${id}`,
    name,
    experiments: [
      {
        id,
        name,
        status: "finished",
        environment: "Pendulum-v1",
        algorithm: "td3",
        method: "pbt",
        population_size: 4,
        imported: null,
      },
    ],
    group: null,
    runs: 1,
    replicates: [{ run_id: id, member: null, task: "Pendulum-v1", value, source: "final" }],
    mean: estimate,
    median: estimate,
    iqm: estimate,
    optimality_gap: null,
  }
}

const PAIR = {
  first: "experiment-5",
  second: "experiment-3",
  difference: { value: 40, low: 31, high: 49 },
  improvement: { value: 0.9, low: 0.7, high: 1 },
  replicates_needed: 3,
}

const COMPARISON: Comparison = {
  metric: "evaluation/return",
  axis: "steps",
  at: null,
  target: null,
  statistic: "mean",
  tasks: ["Pendulum-v1"],
  all_tasks: ["Pendulum-v1"],
  comparable: true,
  baseline: "experiment-3",
  arms: [arm(3, "slow", 50), arm(5, "fast", 90)],
  pairs: [PAIR],
  profiles: null,
  config: [{ path: "algorithm.batch_size", values: [16, 32] }],
  verdict: {
    headline: "fast is better than slow by 40.",
    better: "experiment-5",
    best: PAIR,
    caveats: [{ kind: "few_replicates", text: "Fewer than 10 replicates." }],
  },
}

const CURVES: ComparedCurves = {
  metric: "evaluation/return",
  axis: "steps",
  statistic: "mean",
  target: null,
  of: "best member",
  tasks: ["Pendulum-v1"],
  note: "The arms have no environment in common: choose one.",
  arms: [],
}

const LISTS: Api = {
  "GET /api/v1/experiments": pageOf([summary({ id: 3, name: "slow" }), summary({ id: 5, name: "fast" })]),
  "GET /api/v1/groups": pageOf([]),
}
const API: Api = {
  ...LISTS,
  "GET /api/v1/comparisons": COMPARISON,
  "GET /api/v1/comparisons/curves": CURVES,
  "GET /api/v1/comparisons/budgets": NEVER,
  "GET /api/v1/runs/3/metrics/names": pageOf(["training/loss"]),
}

it("begins with the verdict, and every panel has its own state", async () => {
  const { router, calls } = renderAt("/compare?experiments=3,5", API)
  expect(await screen.findByText("fast is better than slow by 40.")).toBeTruthy()
  expect(within(screen.getByRole("list", { name: "Caveats" })).getByText(/Fewer than 10/)).toBeTruthy()
  expect(await screen.findByText("The arms have no environment in common: choose one.")).toBeTruthy()
  expect(screen.getByText("Loading the budgets")).toBeTruthy()
  const scores = screen.getByRole("region", { name: "Scores" })
  expect(within(scores).getByText("90 [85, 95]")).toBeTruthy()
  const table = within(scores).getByRole("link", { name: "Download the table as LaTeX" })
  expect(table.getAttribute("href")).toBe("/api/v1/comparisons/table.latex?experiments=3&experiments=5")
  const differences = screen.getByRole("region", { name: "Differences" })
  expect(within(differences).getByText("40 [31, 49]")).toBeTruthy()
  expect(within(differences).getByText("0.9 [0.7, 1]")).toBeTruthy()
  expect(within(screen.getByRole("region", { name: "What differs" })).getByText("32")).toBeTruthy()
  await userEvent.selectOptions(screen.getByLabelText("Baseline"), "fast")
  expect(router.state.location.search).toMatchObject({ experiments: [3, 5], baseline: "experiment-5" })
  await userEvent.type(screen.getByLabelText("Scores at"), "1500{Enter}")
  expect(router.state.location.search).toMatchObject({ at: 1500 })
  await userEvent.click(screen.getByRole("button", { name: "Remove slow" }))
  expect(router.state.location.search).toEqual({ experiments: [5], at: 1500 })
  await waitFor(() =>
    expect(
      calls
        .filter(({ path }) => path === "/api/v1/comparisons")
        .at(-1)
        ?.query.getAll("experiments"),
    ).toEqual(["5"]),
  )
})

it("explains what hyper-parameters did over all runs, when asked", async () => {
  const { calls } = renderAt("/compare?experiments=3,5", {
    ...API,
    "GET /api/v1/comparisons/explanation": explanation({ run_ids: [3, 5] }),
  })
  await userEvent.click(await screen.findByRole("button", { name: "Explain" }))
  expect(await screen.findByText("2 runs, each measured against its own population.")).toBeTruthy()
  expect(screen.getByRole("rowheader", { name: "policy learning rate" })).toBeTruthy()
  const asked = calls.find(({ path }) => path.endsWith("/comparisons/explanation"))!
  expect(asked.query.getAll("experiments")).toEqual(["3", "5"])
})

it("says how to choose, and what went wrong", async () => {
  const first = renderAt("/compare", API)
  await userEvent.click(await screen.findByRole("button", { name: "Choose arms" }))
  await userEvent.click(await screen.findByRole("checkbox", { name: /slow/ }))
  await userEvent.click(screen.getByRole("checkbox", { name: /fast/ })) // the list stays open
  expect(first.router.state.location.search).toEqual({ experiments: [3, 5] })
  first.unmount()
  renderAt("/compare?groups=9", { ...LISTS, "GET /api/v1/comparisons": refusal(404, "There is no group 9.") })
  expect(await screen.findByText("There is no group 9.")).toBeTruthy()
})
