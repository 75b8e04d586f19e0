import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import { type Api, type Call, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, PRESET, pageOf } from "@/testing/samples"
import { SPEC_SCHEMA } from "@/testing/specSchema"

const VALID = {
  valid: true,
  problems: [],
  spec: {},
  forecast: {
    experiments: null,
    members: 8,
    runs: 2,
    total_env_steps: 96000,
    replay_bytes: 5_120_000,
    checkpoint_bytes: 6e6,
    checkpoints_kept: 4,
    disk_bytes: 24e6,
  },
}
const INVALID = {
  valid: false,
  problems: [
    {
      path: "environment.id",
      value: "Pendulum-v9",
      message: "unknown environment",
      remedy: "did you mean Pendulum-v1?",
    },
  ],
  spec: null,
  forecast: null,
}
const OTHER = {
  name: "td3-pbt-halfcheetah",
  description: "Full scale.",
  smoke: false,
  experiments: null,
  yaml: "name: td3-pbt-halfcheetah\n",
}

function show(address: string, api: Api = {}) {
  return renderAt(address, {
    "GET /api/v1/presets": pageOf([PRESET, OTHER]),
    "POST /api/v1/specs/validate": VALID,
    "POST /api/v1/experiments": experimentRead(),
    "GET /api/v1/experiments/3": experimentRead(),
    ...api,
  })
}

const startButton = () => screen.findByRole("button", { name: "Start experiment" })

describe("presets", () => {
  it("are cards, each with its own start button", async () => {
    show("/new")
    expect(await screen.findByRole("button", { name: "Start td3-pbt-pendulum-smoke" })).toBeTruthy()
    expect(screen.getByRole("button", { name: "Start td3-pbt-halfcheetah" })).toBeTruthy()
    expect(screen.getAllByText("smoke")).toHaveLength(1)
  })

  it("start with one press", async () => {
    const { calls, router } = show("/new")
    await userEvent.click(await screen.findByRole("button", { name: "Start td3-pbt-halfcheetah" }))
    await waitFor(() => expect(router.state.location.pathname).toBe("/experiments/3"))
    expect(
      calls.find(({ path, method }) => path === "/api/v1/experiments" && method === "POST")!.body,
    ).toEqual({
      yaml: OTHER.yaml,
    })
  })

  it("go into the editor, and the address says which", async () => {
    const { router } = show("/new")
    await userEvent.click(await screen.findByRole("button", { name: "Edit td3-pbt-halfcheetah" }))
    expect(await screen.findByText("From preset td3-pbt-halfcheetah")).toBeTruthy()
    expect(router.state.location.search).toEqual({ preset: "td3-pbt-halfcheetah" })
  })

  it("say when they load and when they cannot", async () => {
    const waiting = show("/new", { "GET /api/v1/presets": NEVER })
    expect(await screen.findByText("Loading presets")).toBeTruthy()
    waiting.unmount()
    show("/new", { "GET /api/v1/presets": refusal(500, "No presets here.") })
    expect(await screen.findByText("No presets here.")).toBeTruthy()
  })
})

describe("the editor", () => {
  it("checks the spec, shows its forecast and lets it start", async () => {
    const { calls, router } = show(`/new?preset=${PRESET.name}`)
    await waitFor(async () => expect((await startButton()).hasAttribute("disabled")).toBe(false))
    expect(await screen.findByText("5.12 MB")).toBeTruthy()
    expect(calls.find(({ path }) => path === "/api/v1/specs/validate")!.body).toEqual({ yaml: PRESET.yaml })
    await userEvent.click(await startButton())
    await waitFor(() => expect(router.state.location.pathname).toBe("/experiments/3"))
  })

  it("lists problems with path, line, value and remedy, and does not start", async () => {
    show(`/new?preset=${PRESET.name}`, { "POST /api/v1/specs/validate": INVALID })
    const list = await screen.findByRole("list", { name: "Problems" })
    expect(within(list).getByText("environment.id")).toBeTruthy()
    expect(within(list).getByText("line 3")).toBeTruthy()
    expect(within(list).getByText('"Pendulum-v9"')).toBeTruthy()
    expect(within(list).getByText("did you mean Pendulum-v1?")).toBeTruthy()
    const button = await startButton()
    expect(button.hasAttribute("disabled")).toBe(true)
    expect(button.title).toBe("1 problem to fix")
  })

  it("shows the complete spec that will run, with notes on what was filled in", async () => {
    const notes = [
      { path: "budget.env_steps", message: "moved from 1,000,100 to 1,002,000, a whole number of segments" },
    ]
    show(`/new?preset=${PRESET.name}`, {
      "POST /api/v1/specs/validate": { ...VALID, resolved: "version: 2\nseed: 0\n", notes },
    })
    await userEvent.click(await screen.findByRole("radio", { name: "Resolved" }))
    expect((await screen.findByLabelText("Resolved spec in YAML")).textContent).toContain("seed: 0")
    expect(within(screen.getByRole("list", { name: "Notes" })).getByText("budget.env_steps")).toBeTruthy()
    await userEvent.click(screen.getByRole("radio", { name: "Written" }))
    expect(screen.queryByLabelText("Resolved spec in YAML")).toBeNull()
  })

  it("has nothing resolved to show while the spec has problems", async () => {
    show(`/new?preset=${PRESET.name}`, {
      "POST /api/v1/specs/validate": { ...INVALID, resolved: null, notes: [] },
    })
    await userEvent.click(await screen.findByRole("radio", { name: "Resolved" }))
    expect(await screen.findByText("Not resolved yet")).toBeTruthy()
  })

  it("says when the check itself failed", async () => {
    show("/new", { "POST /api/v1/specs/validate": refusal(500, "The checker is ill.") })
    expect(await screen.findByText("The checker is ill.")).toBeTruthy()
    expect((await startButton()).hasAttribute("disabled")).toBe(true)
  })

  it("starts from an experiment when the address names one", async () => {
    const { calls } = show("/new?from=3")
    expect(await screen.findByText("From experiment td3-pbt-pendulum-smoke")).toBeTruthy()
    await waitFor(() => expect(calls.some((call: Call) => call.path === "/api/v1/specs/validate")).toBe(true))
    expect(calls.find(({ path }) => path === "/api/v1/specs/validate")!.body).toEqual({
      yaml: experimentRead().yaml,
    })
  })
})

describe("the form", () => {
  const YAML = `# ours
name: mine # a name
algorithm:
  name: td3
  discount: 0.99 # as usual
population: 8
`
  const DISCOUNT = {
    ...{
      name: "discount",
      description: "Of later rewards.",
      default: 0.99,
      low: 0,
      high: 1,
      is_integer: false,
    },
    ...{ names: null, scale: "complement", search: { uniform: [0.9, 0.999] } },
  }
  const PARTS = {
    "GET /api/v1/presets": pageOf([{ ...PRESET, yaml: YAML }]),
    "GET /api/v1/specs/schema": SPEC_SCHEMA,
    "GET /api/v1/algorithms": pageOf([
      {
        ...{ name: "td3", title: "TD3", summary: "Twin Delayed DDPG.", defaults_source: "the paper" },
        hyperparameters: [DISCOUNT],
      },
      {
        name: "reinforce",
        title: "reinforce",
        summary: "Of a plug-in.",
        defaults_source: "x",
        hyperparameters: [],
      },
    ]),
    "GET /api/v1/methods": pageOf([]),
    "POST /api/v1/specs/validate": {
      ...VALID,
      spec: { algorithm: { name: "td3", batch_size: 256, discount: 0.99, network: { hidden: [256, 256] } } },
    },
  }
  /** What the service was last asked about. */
  const textOf = (calls: Call[]) =>
    (calls.filter(({ path }) => path === "/api/v1/specs/validate").at(-1)!.body as { yaml: string }).yaml

  it("writes into the text and keeps its comments", async () => {
    const { calls } = show("/new", PARTS)
    await userEvent.type(await screen.findByLabelText("Members"), "0")
    await waitFor(() => expect(textOf(calls)).toBe(YAML.replace("population: 8", "population: {size: 80}")))
    await userEvent.selectOptions(
      screen.getByRole("combobox", { name: "Discount: how it is given" }),
      "uniform",
    )
    await waitFor(() => expect(textOf(calls)).toContain("  discount: {uniform: [0.9, 0.999]} # as usual"))
    expect(
      screen.getByRole("img", { name: "Discount: from 0.9 to 0.999, half of the members below 0.95" }),
    ).toBeTruthy()
    await userEvent.clear(screen.getByLabelText("Discount: to"))
    await userEvent.type(screen.getByLabelText("Discount: to"), "0.95")
    await waitFor(() => expect(textOf(calls)).toContain("{uniform: [0.9, 0.95]}"))
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Discount: how it is given" }), "")
    await waitFor(() => expect(textOf(calls)).not.toContain("discount"))
  })

  it("shows what is left out, and leaves a field out that is cleared", async () => {
    const { calls } = show("/new", PARTS)
    const batch = await screen.findByLabelText<HTMLInputElement>("Batch size")
    await waitFor(() => expect(batch.placeholder).toBe("256"))
    await userEvent.type(batch, "128")
    await waitFor(() => expect(textOf(calls)).toContain("  batch_size: 128"))
    await userEvent.clear(batch)
    await userEvent.type(screen.getByLabelText("Hidden"), "64, 32")
    await waitFor(() =>
      expect(textOf(calls)).toBe(YAML.replace("population", "  network: {hidden: [64, 32]}\npopulation")),
    )
  })

  it("changes the algorithm, a plug-in's too, with the fields of the old one gone", async () => {
    const { calls } = show("/new", PARTS)
    const select = await screen.findByRole("combobox", { name: "Algorithm" })
    await within(select).findByRole("option", { name: "reinforce" })
    await userEvent.selectOptions(select, "reinforce")
    await waitFor(() =>
      expect(textOf(calls)).toBe("# ours\nname: mine # a name\nalgorithm: reinforce\npopulation: 8\n"),
    )
  })

  it("says what is wrong at the field, and at its section", async () => {
    const problem = { path: "algorithm.batch_size", value: 0, message: "too small", remedy: "use 1 or more" }
    show("/new", { ...PARTS, "POST /api/v1/specs/validate": { ...INVALID, problems: [problem] } })
    expect(await screen.findByText("too small: use 1 or more")).toBeTruthy()
    expect(screen.getByText("to be corrected")).toBeTruthy()
  })

  it("is not for a group", async () => {
    show("/new", { ...PARTS, "GET /api/v1/presets": pageOf([{ ...PRESET, yaml: "kind: group\n" }]) })
    expect(await screen.findByText("Edited as text")).toBeTruthy()
  })
})
