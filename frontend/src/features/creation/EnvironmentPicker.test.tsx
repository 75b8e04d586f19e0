import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import { type Api, type Call, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { PRESET, pageOf } from "@/testing/samples"
import { SPEC_SCHEMA } from "@/testing/specSchema"

const BOX = { kind: "box", shape: [3], dtype: "float32", n: null, counts: [], parts: [] }
const CATALOGUE = [
  {
    suite: "gymnasium",
    id: "Pendulum-v1",
    family: "classic_control",
    observation: BOX,
    action: BOX,
    max_episode_steps: 200,
  },
  {
    suite: "envpool",
    id: "WalkerRun-v1",
    family: "dm_control",
    observation: BOX,
    action: BOX,
    max_episode_steps: 1000,
  },
  {
    suite: "envpool",
    id: "WalkerWalk-v1",
    family: "dm_control",
    observation: BOX,
    action: BOX,
    max_episode_steps: null,
  },
]
const GROUP = {
  name: "dmc15",
  description: "All.",
  smoke: false,
  kind: "group",
  experiments: 15,
  yaml: "kind: group\nname: dmc15\n",
}
const FORECAST = {
  experiments: null,
  members: 8,
  runs: 1,
  total_env_steps: 8,
  replay_bytes: 8,
  checkpoint_bytes: 6e6,
  checkpoints_kept: 4,
  disk_bytes: 24e6,
}

function show(api: Api = {}, preset: string = PRESET.name) {
  return renderAt(`/new?preset=${preset}`, {
    "GET /api/v1/presets": pageOf([PRESET, GROUP]),
    "GET /api/v1/catalogue": pageOf(CATALOGUE),
    "GET /api/v1/specs/schema": SPEC_SCHEMA,
    "POST /api/v1/specs/validate": (call: Call) => ({
      valid: true,
      problems: [],
      spec: null,
      forecast: {
        ...FORECAST,
        experiments: (call.body as { yaml: string }).yaml.includes("kind: group") ? 15 : null,
      },
    }),
    ...api,
  })
}

async function open() {
  await userEvent.click(await screen.findByRole("button", { name: /^Environment: Pendulum-v1/ }))
  return screen.findByRole("dialog")
}

async function options() {
  return within(await screen.findByRole("listbox", { name: "Environments" })).findAllByRole("option")
}

function lastYaml(calls: Call[]): string {
  return (calls.filter(({ path }) => path === "/api/v1/specs/validate").at(-1)!.body as { yaml: string }).yaml
}

describe("the environment picker", () => {
  it("shows spaces, marks the one in the spec, and writes the chosen one into the text", async () => {
    const { calls } = show()
    await open()
    const shown = await options()
    expect(shown.map((option) => option.getAttribute("aria-selected"))).toEqual(["true", "false", "false"])
    expect(shown[1]!.textContent).toContain("observations 3 float32 · actions 3 float32 · 1000 steps")
    await userEvent.click(shown[1]!)
    expect(screen.queryByRole("dialog")).toBeNull()
    await waitFor(() =>
      expect(lastYaml(calls)).toBe(
        PRESET.yaml.replace("gymnasium", "envpool").replace("Pendulum-v1", "WalkerRun-v1"),
      ),
    )
  })

  it("is worked by the keyboard alone", async () => {
    const { calls } = show()
    await open()
    await options()
    await userEvent.keyboard("walk")
    expect(await options()).toHaveLength(2)
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}")
    await waitFor(() => expect(lastYaml(calls)).toContain("id: WalkerWalk-v1"))
  })

  it("filters by suite and says when nothing matches", async () => {
    show()
    const dialog = await open()
    await userEvent.selectOptions(await within(dialog).findByLabelText("Suite"), "gymnasium")
    expect(await options()).toHaveLength(1)
    await userEvent.type(within(dialog).getByRole("combobox", { name: "Search environments" }), "walker")
    expect(within(dialog).getByText("No environment matches")).toBeTruthy()
  })

  it("says when the catalogue loads and when it cannot", async () => {
    const waiting = show({ "GET /api/v1/catalogue": NEVER })
    await open()
    expect(await screen.findByText("Loading the environments")).toBeTruthy()
    waiting.unmount()
    show({ "GET /api/v1/catalogue": refusal(500, "No catalogue here.") })
    await open()
    expect(await screen.findByText("No catalogue here.")).toBeTruthy()
  })
})

describe("a group", () => {
  it("is marked among the presets and started as one, leading to its page", async () => {
    const { calls, router } = show({ "POST /api/v1/groups": { id: 2, name: "dmc15" } })
    expect(await screen.findByText("15 experiments")).toBeTruthy()
    await userEvent.click(screen.getByRole("button", { name: "Start dmc15" }))
    await waitFor(() => expect(router.state.location.pathname).toBe("/groups/2"))
    expect(calls.find(({ path }) => path === "/api/v1/groups")!.body).toEqual({ yaml: GROUP.yaml })
  })

  it("is started from the editor, which picks no environment for it", async () => {
    const { calls } = show({ "POST /api/v1/groups": { id: 2, name: "dmc15" } }, "dmc15")
    await userEvent.click(await screen.findByRole("button", { name: "Start 15 experiments" }))
    await waitFor(() => expect(calls.some(({ path }) => path === "/api/v1/groups")).toBe(true))
  })

  it("offers no picker", async () => {
    show({}, "dmc15")
    await screen.findByRole("button", { name: "Start 15 experiments" })
    expect(await screen.findByText("Edited as text")).toBeTruthy()
    expect(screen.queryByRole("button", { name: /^Environment/ })).toBeNull()
  })
})
