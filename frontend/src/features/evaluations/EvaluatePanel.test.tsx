import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import type { EvaluatedPolicy, EvaluationSummary } from "@/api/generated/types.gen"
import { type Api, LOCAL, refusal, renderAt, reply } from "@/testing/renderAt"
import { experimentRead, pageOf, runLineage, runRead } from "@/testing/samples"

const CHECKPOINT = {
  ...{ id: 2, kind: "checkpoint", name: "000001.npz", bytes: 8, sha256: "abc", step: 4000, video: null },
  created_at: "2026-01-01T00:00:00Z",
}

function policy(change: Partial<EvaluatedPolicy> = {}): EvaluatedPolicy {
  const summary = { mean: 120, low: 110, high: 130, smallest: 90, largest: 150, length: 200, episodes: 10 }
  return {
    ...{ run_id: 7, name: "walk", choice: "best", step: 4000, films: [], film_problem: null },
    loaded: {
      environment: "gymnasium:Hopper-v5",
      deterministic: true,
      member: 2,
      step: 4000,
      weights_sha256: "aa",
    },
    summary,
    difference: null,
    ...change,
  }
}

function evaluation(change: Partial<EvaluationSummary> = {}): EvaluationSummary {
  return {
    id: 4,
    name: "evaluation of walk",
    status: "finished",
    is_pausing: false,
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    started_at: null,
    finished_at: null,
    worker_name: "bench",
    environment: null,
    episodes: 10,
    seed: 5,
    sample: null,
    wanted_films: 0,
    done: 10,
    total: 10,
    policies: [policy()],
    error: null,
    remedy: null,
    stream: null,
    ...change,
  }
}

function show(evaluations: unknown, change: Api = {}) {
  return renderAt("/experiments/3?tab=policy", {
    "GET /api/v1/experiments/3": experimentRead(),
    "GET /api/v1/runs/7": runRead({ status: "finished" }),
    "GET /api/v1/runs/7/lineage": runLineage(),
    "GET /api/v1/runs/7/artifacts": pageOf([CHECKPOINT]),
    "GET /api/v1/evaluations": Array.isArray(evaluations) ? pageOf(evaluations) : evaluations,
    ...change,
  })
}

async function fill(label: string, text: string) {
  const field = await screen.findByLabelText(label)
  await userEvent.clear(field)
  if (text) await userEvent.type(field, text)
}

describe("the evaluations of a run's policy", () => {
  it("are asked for, once what was written makes sense", async () => {
    const { calls } = show([], { "POST /api/v1/evaluations": reply(201, evaluation({ status: "queued" })) })
    expect(await screen.findByText("No evaluation yet")).toBeTruthy()
    await fill("Episodes", "5000")
    expect(screen.getByText("A whole number from 1 to 1000")).toBeTruthy()
    expect(screen.getByRole("button", { name: "Evaluate" }).hasAttribute("disabled")).toBe(true)
    await fill("Episodes", "20")
    await fill("Beside runs", "8, x")
    expect(screen.getByText("Numbers of runs, such as 8, 9")).toBeTruthy()
    await fill("Beside runs", "8")
    await fill("Environment", "Walker2d-v5")
    await userEvent.selectOptions(screen.getByLabelText("Actions"), "Drawn actions")
    await userEvent.click(screen.getByRole("button", { name: "Evaluate" }))
    await waitFor(() => expect(calls.some(({ method }) => method === "POST")).toBe(true))
    expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
      policies: [{ run: 7 }, { run: 8 }],
      episodes: 20,
      films: 1,
      environment: "Walker2d-v5",
      sample: true,
    })
  })

  it("show what each policy earned, its interval, its difference and its films", async () => {
    const film = { name: "a.mp4", bytes: 80_000, sha256: "a", episode: 0, episode_steps: 200, ended: true }
    const other = policy({
      ...{ run_id: null, name: "run", choice: "3", film_problem: "no display" },
      difference: { mean: -20, low: -25, high: -15 },
    })
    const first = policy({ films: [{ id: 31, episode_return: 118, ...film }] })
    show([evaluation({ policies: [first, other] })])
    const rows = within(await screen.findByTestId("evaluation-table")).getAllByRole("row")
    expect(rows.map((row) => row.textContent)).toEqual([
      "PolicyReturn (95 %)Difference (95 %)SmallestLargestStepsEpisodesEnvironment",
      "walk, run 7best member at step 4,000120.0 ± 10–90150.0200.010 / 10gymnasium:Hopper-v5likeliest actions",
      "runM3 at step 4,000120.0 ± 10−20 ± 590150.0200.010 / 10gymnasium:Hopper-v5likeliest actions",
    ])
    expect(screen.getByLabelText("Run 7, episode 1").getAttribute("src")).toBe("/api/v1/artifacts/31/content")
    expect(screen.getByText("run is not filmed: no display")).toBeTruthy()
  })

  it("say how far they are, why one failed, and when they could not be loaded", async () => {
    const running = evaluation({
      status: "running",
      done: 4,
      policies: [policy({ summary: null, loaded: null })],
    })
    const failed = evaluation({ id: 3, status: "failed", error: "it is gone", remedy: "choose another" })
    show([running, failed]).unmount()
    const view = show([running, failed])
    expect(await screen.findByText("4 / 10 episodes")).toBeTruthy()
    expect(screen.getByText("it is gone").parentElement?.textContent).toBe("it is gonechoose another")
    expect(screen.getByRole("button", { name: "Retry evaluation 3" })).toBeTruthy()
    view.unmount()
    show(refusal(500, "The disk is away."))
    expect(await screen.findByText("The disk is away.")).toBeTruthy()
  })

  it("cannot be asked for without weights, or by a viewer, and say why", async () => {
    const nothing = show([], { "GET /api/v1/runs/7/artifacts": pageOf([]) })
    const button = await screen.findByRole("button", { name: "Evaluate" })
    expect(button.title).toContain("neither a policy nor a checkpoint")
    nothing.unmount()
    const viewer = { ...LOCAL, is_admin: false, has_accounts: true }
    viewer.projects = [{ id: 1, name: "default", role: "viewer" }]
    show([], { "GET /api/v1/accounts/me": viewer })
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Evaluate" }).title).toContain("only a viewer"),
    )
  })
})
