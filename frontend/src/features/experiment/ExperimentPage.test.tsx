import { act, fireEvent, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import type { OperatorGain } from "@/api/generated/types.gen"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { type Api, type Call, NEVER, refusal, renderAt } from "@/testing/renderAt"
import {
  ancestry,
  experimentRead,
  gangAttempt,
  lineageSummary,
  metricSeries,
  pageOf,
  runLineage,
  runRead,
  schedule,
} from "@/testing/samples"

const API: Api = {
  "GET /api/v1/experiments/3": experimentRead(),
  "GET /api/v1/runs/7": runRead(),
  "GET /api/v1/runs/7/lineage": runLineage(),
  "GET /api/v1/runs/7/metrics": ({ query }: Call) => ({
    series: query.getAll("name").map((name) => metricSeries(name, name.startsWith("time/") ? 1 : 4)),
  }),
  "GET /api/v1/runs/7/lineage/summary": lineageSummary(),
  "GET /api/v1/runs/7/lineage/spans/4/ancestry": ancestry(4),
  "GET /api/v1/runs/7/lineage/spans/5/ancestry": ancestry(5),
  "GET /api/v1/runs/7/lineage/spans/4/schedule": schedule(4),
  "GET /api/v1/runs/7/lineage/spans/5/schedule": schedule(5),
  "GET /api/v1/runs/7/metrics/names": pageOf(["evaluation/return", "training/critic_loss"]),
  "GET /api/v1/runs/7/logs": {
    items: [
      {
        id: 1,
        attempt: 1,
        rank: 0,
        line: 0,
        wall: 0.2,
        stream: "trainer",
        text: "compiled the segment",
        created_at: "2026-01-01T00:00:00Z",
      },
    ],
    total: 1,
    next: "line-1",
  },
  "GET /api/v1/runs/7/forkable": {
    steps: [4000],
    spans: [{ span: 5, member: 1, steps: [4000] }],
    why_not: "None is kept from their time.",
  },
  "GET /api/v1/runs/7/forks": pageOf([]),
  "GET /api/v1/runs/7/artifacts": pageOf([
    {
      id: 5,
      kind: "checkpoint",
      name: "000080.npz",
      bytes: 8_000_000,
      sha256: "abc",
      step: 4000,
      created_at: "2026-01-01T00:00:00Z",
      video: null,
    },
  ]),
  "POST /api/v1/experiments/3/stop": experimentRead({ runs: [runRead({ status: "stopping" })] }),
}

function show(address = "/experiments/3", change: Api = {}) {
  return renderAt(address, { ...API, ...change })
}

/** Sends an event through the stream and waits until the page shows it. */
async function say(kind: string, data: object, id?: string) {
  await waitFor(() => expect(FakeEventSource.last.readyState).toBe(FakeEventSource.OPEN))
  await act(async () => {
    FakeEventSource.last.say(kind, data, id)
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
}

describe("the experiment page", () => {
  it("shows a skeleton while it loads", async () => {
    show("/experiments/3", { "GET /api/v1/experiments/3": NEVER })
    expect(await screen.findByText("Loading the experiment")).toBeTruthy()
  })

  it("shows the run's state, progress and strategy", async () => {
    show()
    expect((await screen.findByTestId("run-status")).textContent).toBe("Running")
    expect(
      screen.getByRole("progressbar", { name: "Progress of the run" }).getAttribute("aria-valuenow"),
    ).toBe("33.3")
    expect(screen.getByText("sharded was fastest")).toBeTruthy()
  })

  it.each(["99", "0", "abc"])(
    "has the page for unknown addresses when there is no experiment %s",
    async (id) => {
      show(`/experiments/${id}`)
      expect(await screen.findByText("Page not found")).toBeTruthy()
    },
  )

  it("says what went wrong", async () => {
    show("/experiments/3", { "GET /api/v1/experiments/3": refusal(500, "The database is locked.") })
    expect(await screen.findByText("The database is locked.")).toBeTruthy()
  })

  it("says from which step on an interrupted run has left the undisturbed path", async () => {
    const interrupted = runRead({ interruptions: [{ step: 2100, reason: "handed_back" }] })
    show("/experiments/3", {
      "GET /api/v1/experiments/3": experimentRead({ runs: [interrupted] }),
      "GET /api/v1/runs/7": interrupted,
    })
    const notes = await screen.findByRole("region", { name: "Notes on the results" })
    expect(notes.textContent).toContain("Handed back by its worker at step 2,100")
    expect(notes.textContent).toContain("not those of an undisturbed run")
  })

  it("says who diverged, and marks it among the members", async () => {
    const lineage = runLineage()
    const diverged = { step: 5200, metric: "critic_loss", value: "Infinity" } as const
    const spans = lineage.spans.map((each) => (each.id === 2 ? { ...each, diverged } : each))
    show("/experiments/3", { "GET /api/v1/runs/7/lineage": { ...lineage, spans } })
    const notes = await screen.findByRole("region", { name: "Notes on the results" })
    expect(notes.textContent).toContain("Member M2 diverged: critic loss became Infinity before step 5,200.")
    expect(notes.textContent).toContain("It is set aside")
    expect(notes.textContent).toContain("discount 0.92")
    expect(screen.getByRole("button", { name: "M2, diverged, show its ancestry" })).toBeTruthy()
  })

  it("has no notes on an undisturbed run", async () => {
    show()
    await screen.findByTestId("run-status")
    expect(screen.queryByRole("region", { name: "Notes on the results" })).toBeNull()
  })

  it("says why a run failed, in whom, and with which hyper-parameters", async () => {
    const error = {
      message: "critic loss is NaN",
      remedy: "lower the rate",
      member: 2,
      hyperparams: { discount: 0.97 },
    }
    const failed = runRead({ status: "failed", error, finished_at: "2026-01-01T00:01:00Z" })
    show("/experiments/3", {
      "GET /api/v1/experiments/3": experimentRead({ status: "failed", runs: [failed] }),
      "GET /api/v1/runs/7": failed,
    })
    const notice = await screen.findByRole("alert")
    expect(notice.textContent).toMatch(/in member M2.*critic loss is NaN.*lower the rate.*discount.*0.97/)
  })

  it("switches between replicates", async () => {
    const runs = [runRead(), runRead({ id: 8, replicate: 1 })]
    const { router } = show("/experiments/3", { "GET /api/v1/experiments/3": experimentRead({ runs }) })
    await userEvent.selectOptions(await screen.findByLabelText("Replicate"), "8")
    expect(router.state.location.search).toMatchObject({ run: 8 })
  })

  it("stops after asking", async () => {
    const { calls } = show()
    await userEvent.click(await screen.findByRole("button", { name: "Stop" }))
    expect(calls.some(({ method }) => method === "POST")).toBe(false)
    await userEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Stop" }),
    )
    await waitFor(() => expect(screen.getByTestId("run-status").textContent).toBe("Stopping"))
  })
})

describe("curves and timeline", () => {
  it("draw what is stored", async () => {
    show()
    expect((await screen.findByTestId("curves")).dataset.points).toBe("6")
    expect(screen.getByTestId("lineage").dataset.exploits).toBe("2")
    expect(screen.getByRole("img", { name: "Lineage of 4 members, 2 exploits" })).toBeTruthy()
  })

  it("grow with the stream, from the point that was loaded", async () => {
    show()
    await screen.findByTestId("curves")
    await waitFor(() => expect(FakeEventSource.last.url).toBe("/api/v1/events?runs=7&after=cursor-9"))
    await say(
      "metrics",
      { kind: "metrics", seq: 10, step: 7000, wall: 33, frames: { "evaluation/return": [1, 2, 3, 4] } },
      "1-10",
    )
    expect(screen.getByTestId("curves").dataset.points).toBe("7")
    const { start_step, end_step, start_wall, ...child } = { ...runLineage().spans[5]!, id: 6, slot: 2 }
    await say("lineage", { kind: "lineage", seq: 11, step: 7000, wall: 33, spans: [child] }, "1-11")
    expect(screen.getByTestId("lineage").dataset.exploits).toBe("3")
  })

  it("follow the run's state to its end, and then stop listening", async () => {
    show()
    await screen.findByTestId("curves")
    const ended = { status: "finished", end_reason: "plateau", finished_at: "2026-01-01T00:01:00Z" } as const
    await say("status", runRead(ended))
    await waitFor(() => expect(screen.getByTestId("run-status").textContent).toBe("Finished"))
    expect(screen.getByText("Return no longer rose")).toBeTruthy()
    await waitFor(() => expect(FakeEventSource.last.readyState).toBe(FakeEventSource.CLOSED))
  })

  it("reload everything when history was cut back", async () => {
    let lineages = 0
    show("/experiments/3", {
      "GET /api/v1/runs/7": () =>
        runRead(lineages === 0 ? {} : { attempt: 2, last_seq: 4, stream: "cursor-4" }),
      "GET /api/v1/runs/7/lineage": () =>
        lineages++ === 0 ? runLineage() : { ...runLineage(), spans: runLineage().spans.slice(0, 4) },
    })
    await screen.findByTestId("curves")
    await say("rewind", { seq: 5, attempt: 2 })
    await waitFor(() => expect(screen.getByTestId("lineage").dataset.exploits).toBe("0"))
    await waitFor(() => expect(FakeEventSource.last.url).toBe("/api/v1/events?runs=7&after=cursor-4"))
  })

  it("do not listen to a run that has ended", async () => {
    show("/experiments/3", {
      "GET /api/v1/runs/7": runRead({ status: "finished", finished_at: "2026-01-01T00:01:00Z" }),
    })
    await screen.findByTestId("curves")
    expect(FakeEventSource.opened).toEqual([])
  })

  it("wait in words while nothing has happened", async () => {
    const queued = runRead({ status: "queued", started_at: null, last_seq: -1, attempt: 0, stream: null })
    show("/experiments/3", {
      "GET /api/v1/experiments/3": experimentRead({ status: "queued", runs: [queued] }),
      "GET /api/v1/runs/7": queued,
      "GET /api/v1/runs/7/lineage": { ...runLineage(), spans: [], end_step: 0 },
      "GET /api/v1/runs/7/metrics": { series: [] },
    })
    expect(await screen.findByText("Waiting for a worker")).toBeTruthy()
    await waitFor(() => expect(FakeEventSource.last.url).toBe("/api/v1/events?runs=7"))
  })

  it("say when an ancestry cannot be loaded", async () => {
    const path = "GET /api/v1/runs/7/lineage/spans/5/ancestry"
    show("/experiments/3?span=5", { [path]: refusal(404, "Run 7 has no span 5.") })
    expect(await screen.findByText("Run 7 has no span 5.")).toBeTruthy()
  })

  it("show statistics of the lineage", async () => {
    show()
    const panel = await screen.findByRole("region", { name: "Lineage in numbers" })
    expect(await within(panel).findByText("75%")).toBeTruthy()
    expect(within(panel).getByText("of 4")).toBeTruthy()
    expect(await screen.findByText("2 generations")).toBeTruthy()
  })

  it("say when they cannot be loaded", async () => {
    show("/experiments/3", { "GET /api/v1/runs/7/metrics": refusal(500, "No metrics.") })
    expect(await screen.findByText("No metrics.")).toBeTruthy()
  })

  it("light up an ancestry and draw its schedule", async () => {
    const { router } = show()
    await userEvent.click(await screen.findByRole("button", { name: /^M1, .*show its ancestry/ }))
    expect(router.state.location.search).toMatchObject({ span: 5 })
    expect(await screen.findByText(/M0 → M3 → M1/)).toBeTruthy()
    expect(screen.getByRole("img", { name: /^discount from 0.9 to 0.95 with 2 changes/ })).toBeTruthy()
    expect(screen.getByRole("img", { name: "Return along the ancestry of M1" })).toBeTruthy()
    expect(screen.getByText("×1.2")).toBeTruthy()
    await userEvent.click(screen.getByRole("button", { name: "Clear" }))
    expect(await screen.findByText("No member selected")).toBeTruthy()
  })

  it("share one cursor, whichever axis they have", async () => {
    show("/experiments/3?span=5&axis=wall")
    await screen.findByRole("img", { name: "Return along the ancestry of M1" })
    const chart = screen.getByRole("img", { name: /^discount from/ })
    expect(screen.queryAllByTestId("cursor")).toEqual([])
    fireEvent.pointerMove(chart, { clientX: 100 })
    // Return, discount and learning rate; the readout of the curves follows in seconds.
    const lines = screen.getAllByTestId("cursor")
    expect(lines.map((line) => Math.round(Number(line.getAttribute("x1"))))).toEqual([100, 100, 100])
    expect(screen.getByText(/^at .*: 0.9$/)).toBeTruthy()
    fireEvent.pointerLeave(chart)
    expect(screen.queryAllByTestId("cursor")).toEqual([])
  })

  it("can be read as a tree of living members", async () => {
    show("/experiments/3?view=tree")
    expect(
      await screen.findByRole("img", { name: "Tree of living members: 4 members, 2 exploits" }),
    ).toBeTruthy()
  })

  it("give the schedule away", async () => {
    const user = userEvent.setup() // brings a clipboard
    show("/experiments/3?span=4")
    await user.click(await screen.findByRole("button", { name: "Copy YAML" }))
    expect(await navigator.clipboard.readText()).toBe(schedule(4).yaml)
  })

  it("show the mean gain of births", async () => {
    const gain: OperatorGain = {
      operator: "perturb",
      births: 2,
      over_replaced: 140,
      over_parent: 3,
      beside_parent: "NaN",
    }
    show("/experiments/3", { "GET /api/v1/runs/7/lineage/summary": lineageSummary({ operators: [gain] }) })
    const table = await screen.findByRole("table", { name: "Mean gain per birth" })
    expect(within(table).getByRole("row", { name: "perturb ×2 +140.0 –" })).toBeTruthy()
  })

  it("are walked through by keyboard", async () => {
    const { router } = show()
    const timeline = await screen.findByTestId("lineage")
    timeline.focus()
    await userEvent.keyboard("{ArrowRight}")
    expect(
      within(timeline).getAllByText(/M3 copies M0. Fitness −900.0, donor −300.0. Changed: discount ×1.2/)[0],
    ).toBeTruthy()
    await userEvent.keyboard("{ArrowRight}{Enter}")
    await waitFor(() => expect(router.state.location.search).toMatchObject({ span: 5 }))
    await userEvent.keyboard("{Escape}")
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty("span", 5))
  })

  it("can be read as a table", async () => {
    show("/experiments/3?view=table")
    const table = await screen.findByRole("table", { name: /Exploits/ })
    expect(within(table).getAllByRole("row")).toHaveLength(3)
    expect(within(table).getByText("discount ×1.2 → 0.94")).toBeTruthy()
  })

  it("keep their choices in the address", async () => {
    const { router } = show()
    await screen.findByRole("option", { name: "Critic loss" })
    await userEvent.selectOptions(screen.getByLabelText("Metric"), "training/critic_loss")
    await userEvent.click(screen.getByRole("radio", { name: "Time" }))
    await userEvent.selectOptions(screen.getByLabelText("Colour of the bars"), "founder")
    expect(router.state.location.search).toMatchObject({
      metric: "training/critic_loss",
      axis: "wall",
      colour: "founder",
    })
    expect(await screen.findByRole("heading", { name: "Critic loss" })).toBeTruthy()
  })
})

describe("the other tabs", () => {
  it("show where the time went", async () => {
    show("/experiments/3?tab=runtime")
    const table = await screen.findByRole("table", { name: "Time by phase" })
    expect(within(table).getAllByRole("row")).toHaveLength(12)
    expect(within(table).getAllByText("9.1%")).toHaveLength(11)
  })

  it("show an empty runtime", async () => {
    show("/experiments/3?tab=runtime", { "GET /api/v1/runs/7/metrics": { series: [] } })
    expect(await screen.findByText("No timings yet")).toBeTruthy()
  })

  it("show checkpoints with links to download them", async () => {
    show("/experiments/3?tab=checkpoints")
    const link = await screen.findByRole("link", { name: "Download 000080.npz" })
    expect(link.getAttribute("href")).toBe("/api/v1/artifacts/5/content")
  })

  it("show that there are no checkpoints", async () => {
    show("/experiments/3?tab=checkpoints", { "GET /api/v1/runs/7/artifacts": pageOf([]) })
    expect(await screen.findByText("No checkpoint yet")).toBeTruthy()
  })

  it("show the spec and offer it as a template", async () => {
    show("/experiments/3?tab=spec")
    const panel = await screen.findByRole("tabpanel", { name: "Spec" })
    const link = await within(panel).findByRole("link", { name: "Use as template" })
    expect(link.getAttribute("href")).toBe("/new?from=3")
    expect(await within(panel).findByLabelText("Spec of this experiment")).toBeTruthy()
  })

  it("show empty logs and broken logs", async () => {
    const empty = show("/experiments/3?tab=logs", { "GET /api/v1/runs/7/logs": pageOf([]) })
    expect(await screen.findByText("No log output")).toBeTruthy()
    empty.unmount()
    show("/experiments/3?tab=logs", { "GET /api/v1/runs/7/logs": refusal(500, "No logs.") })
    expect(await screen.findByText("No logs.")).toBeTruthy()
  })

  it("offer the log of every attempt, the newest included, however few of them count", async () => {
    const handedBack = runRead({ attempt: 3, attempts: 1 })
    const { calls } = show("/experiments/3?tab=logs", { "GET /api/v1/runs/7": handedBack })
    await userEvent.selectOptions(await screen.findByLabelText("Attempt"), "Attempt 3")
    await waitFor(() => expect(calls.some(({ query }) => query.get("attempt") === "3")).toBe(true))
    expect(screen.getByText("attempt 3 (1 of 5 used), seed 0")).toBeTruthy()
  })

  it("show the hosts of an attempt, mark the slow one, and lead to the log of each", async () => {
    const { calls } = show("/experiments/3?tab=attempts", {
      "GET /api/v1/runs/7/attempts": pageOf([gangAttempt()]),
    })
    const hosts = within(await screen.findByRole("list", { name: "Hosts" })).getAllByRole("listitem")
    expect(hosts.map((host) => host.textContent)).toEqual([
      "Rank 0bench on bench.labslot 0 · trains · 1 s per segment",
      "Rank 1atticslot 0 · trains · 2 s per segmentSlow",
    ])
    await userEvent.click(screen.getByRole("button", { name: "Log of rank 1" }))
    await waitFor(() => expect(calls.some(({ query }) => query.get("rank") === "1")).toBe(true))
    expect(await screen.findByLabelText("Host")).toHaveProperty("value", "1")
  })

  it("show logs", async () => {
    show("/experiments/3?tab=logs")
    expect(await screen.findByRole("log")).toBeTruthy()
  })
})

describe("forks", () => {
  const FORK = {
    id: 9,
    name: "wider",
    status: "queued",
    created_at: "2026-01-02T00:00:00Z",
    step: 4000,
    members: [1],
  }

  it("lead from a span into the editor, with the spec of the fork", async () => {
    const { router } = show("/experiments/3?span=5", {
      "GET /api/v1/runs/7/fork": ({ query }: Call) => ({
        step: 4000,
        member: 1,
        spec: {},
        yaml: `name: wider # span ${query.get("span")}\n`,
      }),
      "GET /api/v1/presets": pageOf([]),
      "POST /api/v1/specs/validate": NEVER,
    })
    await userEvent.click(await screen.findByRole("link", { name: "Fork from here" }))
    expect(await screen.findByText("Fork of run 7, M1 at step 4,000")).toBeTruthy()
    expect(router.state.location.search).toEqual({ fork: 7, span: 5 })
    await waitFor(() => expect(document.body.textContent).toContain("name: wider # span 5"))
  })

  it("are not offered where no checkpoint is kept, and the reason is shown", async () => {
    show("/experiments/3?span=4")
    const refused = await screen.findByText("No checkpoint to fork from")
    expect(refused.title).toBe("None is kept from their time.")
    expect(screen.queryByRole("link", { name: "Fork from here" })).toBeNull()
  })

  it("are linked from both sides", async () => {
    const source = { experiment_id: 2, run_id: 4, experiment: "first", step: 1000, members: [3] }
    show("/experiments/3", {
      "GET /api/v1/experiments/3": experimentRead({ started_from: [source] }),
      "GET /api/v1/runs/7/forks": pageOf([FORK]),
    })
    const forks = within(await screen.findByRole("region", { name: "Forks" }))
    expect(forks.getByRole("link", { name: "first" }).getAttribute("href")).toBe("/experiments/2?run=4")
    expect((await forks.findByRole("link", { name: "wider" })).getAttribute("href")).toBe("/experiments/9")
  })
})

describe("controls", () => {
  const ENDED = {
    "GET /api/v1/experiments/3": experimentRead({
      status: "finished",
      runs: [runRead({ status: "finished" })],
    }),
  }
  const CONTROLS = {
    run_id: 7,
    group: { id: 2, name: "small-controls" },
    is_over: true,
    headline: "Tuning helped: small is better than random search.",
    controls: [
      {
        kind: "random_search",
        experiment_id: 12,
        name: "small-controls-random_search",
        status: "finished",
        answer: "helped",
        difference: { value: 40, low: 35, high: 45 },
        replicates_needed: 2,
      },
    ],
    caveats: [{ kind: "few_replicates", text: "Two replicates are few." }],
  }

  it("start with one press and say what they found", async () => {
    const { calls } = show("/experiments/3", {
      ...ENDED,
      "GET /api/v1/runs/7/controls": { newest: null, why_not: null },
      "POST /api/v1/runs/7/controls": CONTROLS,
    })
    await userEvent.click(await screen.findByRole("button", { name: "Start the controls" }))
    expect(await screen.findByText(CONTROLS.headline)).toBeTruthy()
    expect(calls.filter(({ method, path }) => method === "POST" && path.endsWith("/controls"))).toHaveLength(
      1,
    )
    const link = screen.getByRole("link", { name: "Random search with as many members" })
    expect(link.getAttribute("href")).toBe("/experiments/12")
    expect(screen.getByText("tuning was better")).toBeTruthy()
    expect(screen.getByText("Two replicates are few.")).toBeTruthy()
  })

  it("are not offered for a run that tuned nothing", async () => {
    const why_not = "Run 7 has no hyper-parameter with a distribution: it tuned nothing."
    show("/experiments/3", { ...ENDED, "GET /api/v1/runs/7/controls": { newest: null, why_not } })
    await screen.findByRole("heading", { name: "td3-pbt-pendulum-smoke" })
    expect(screen.queryByText("Did tuning help?")).toBeNull()
  })

  it("are not offered while the run has no winner", async () => {
    show("/experiments/3")
    await screen.findByRole("heading", { name: "td3-pbt-pendulum-smoke" })
    expect(screen.queryByText("Did tuning help?")).toBeNull()
  })
})
