import { act, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { PRESET, pageOf, workerRead } from "@/testing/samples"
import { measurement, study } from "@/testing/studies"

const PRESETS = [PRESET, { ...PRESET, name: "figure2-dqn-smoke", kind: "runtime_study", yaml: "dqn" }]
const GPU = study({
  id: 2,
  name: "on-a-gpu",
  machine: { ...study().machine!, device: "gpu", device_name: "A card" },
  measurements: [
    measurement({ population_size: 4, median: 1 }),
    measurement({
      population_size: 8,
      status: "out_of_memory",
      reason: "8 GB were not enough",
      median: null,
      low: null,
      high: null,
    }),
  ],
})

function show(address = "/studies", api: Api = {}) {
  return renderAt(address, {
    "GET /api/v1/studies": pageOf([GPU, study()]),
    "GET /api/v1/studies/1": study(),
    "GET /api/v1/studies/2": GPU,
    "GET /api/v1/presets": pageOf(PRESETS),
    "GET /api/v1/workers": pageOf([workerRead({ state: "idle" })]),
    ...api,
  })
}

async function charts(): Promise<string[]> {
  return (await screen.findAllByRole("img")).map((chart) => chart.getAttribute("aria-label") ?? "")
}

describe("the page of runtime studies", () => {
  it("draws cost and speed-up of the newest study, with every cell below", async () => {
    show("/studies?ids=1")
    expect(await charts()).toEqual([
      "Milliseconds per update of the population, td3",
      "Speed-up over torch sequential, td3",
    ])
    const table = screen.getByRole("table")
    expect(within(table).getAllByRole("row")).toHaveLength(4)
    expect(within(table).getByText("4.00×")).toBeTruthy()
  })

  it("draws several studies over each other and keeps the choice in the address", async () => {
    const { router } = show()
    await charts()
    await userEvent.click(screen.getByRole("checkbox", { name: "Show figure2-td3-sac-smoke, study 1" }))
    await waitFor(() => expect(router.state.location.search).toMatchObject({ ids: [2, 1] }))
    expect(await screen.findByText("on-a-gpu (2), A card")).toBeTruthy()
    expect(screen.getByText("8 GB were not enough")).toBeTruthy()
  })

  it("compares with another baseline", async () => {
    const { router } = show("/studies?ids=1")
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Baseline" }), "jax sharded")
    expect(await screen.findByRole("img", { name: "Speed-up over jax sharded, td3" })).toBeTruthy()
    expect(router.state.location.search).toMatchObject({ baseline: "jax sharded" })
    expect(within(screen.getByRole("table")).getByText("0.25×")).toBeTruthy()
  })

  it("starts a study on the chosen worker", async () => {
    const { calls } = show("/studies?ids=1", { "POST /api/v1/studies": study({ status: "queued" }) })
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Worker" }), "bench")
    expect(screen.queryByRole("option", { name: PRESET.name })).toBeNull()
    await userEvent.click(screen.getByRole("button", { name: "Start" }))
    await waitFor(() =>
      expect(calls.find(({ method }) => method === "POST")?.body).toEqual({ yaml: "dqn", worker_id: 1 }),
    )
  })

  it("stops a study that is being measured and says what happens", async () => {
    const running = study({ status: "running", done: 0, measurements: [], progress: "td3, 4 members" })
    const { calls } = show("/studies?ids=1", {
      "GET /api/v1/studies": pageOf([running]),
      "GET /api/v1/studies/1": running,
      "POST /api/v1/studies/1/stop": { ...running, status: "stopping" },
    })
    expect(await screen.findByText("No cells measured yet")).toBeTruthy()
    expect(screen.getAllByText("td3, 4 members").length).toBeGreaterThan(0)
    await userEvent.click(screen.getByRole("button", { name: "Stop study 1" }))
    await userEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Stop" }),
    )
    await waitFor(() => expect(calls.some(({ path }) => path === "/api/v1/studies/1/stop")).toBe(true))
  })

  it("says that nothing was measured, that it loads, and what went wrong", async () => {
    show("/studies", { "GET /api/v1/studies": pageOf([]) }).unmount()
    const empty = show("/studies", { "GET /api/v1/studies": pageOf([]) })
    expect(await screen.findByText("No studies yet")).toBeTruthy()
    empty.unmount()
    const waiting = show("/studies", { "GET /api/v1/studies": NEVER })
    expect(await screen.findByText("Loading the studies")).toBeTruthy()
    waiting.unmount()
    show("/studies", { "GET /api/v1/studies": refusal(500, "The database is away.") })
    expect(await screen.findByText("The studies could not be loaded")).toBeTruthy()
    expect(screen.getByText("The database is away.")).toBeTruthy()
  })
})

describe("a running study", () => {
  beforeEach(() => {
    FakeEventSource.opened = []
    vi.stubGlobal("EventSource", FakeEventSource)
  })

  it("shows cells as they are measured, and its state as it changes", async () => {
    let stored = study({
      status: "running",
      done: 1,
      total: 3,
      measurements: [measurement()],
      stream: "1-2",
    })
    show("/studies?ids=1", { "GET /api/v1/studies": pageOf([stored]), "GET /api/v1/studies/1": () => stored })
    const table = await screen.findByRole("table")
    expect(within(table).getAllByRole("row")).toHaveLength(2)
    await waitFor(() => expect(FakeEventSource.last.url).toBe("/api/v1/events?studies=1&after=1-2"))
    const say = (kind: string, data: object, position: string) =>
      act(() => FakeEventSource.last.say(kind, data, position, { kind: "study", id: 1 }))
    const cell = measurement({ population_size: 4, median: 8.25 })
    stored = { ...stored, done: 2, measurements: [measurement(), cell], stream: "1-3" }
    say("measured", { kind: "measured", seq: 3, step: 2, wall: 1, measurement: cell }, "1-3")
    expect(await within(table).findByText("8.25")).toBeTruthy()
    const { spec: _spec, yaml: _yaml, measurements: _measurements, ...summary } = stored
    stored = { ...stored, status: "stopped" }
    say("status", { ...summary, status: "stopped" }, "")
    await waitFor(() => expect(FakeEventSource.last.readyState).toBe(FakeEventSource.CLOSED))
    expect(FakeEventSource.opened).toHaveLength(1)
  })
})
