import { act, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import type { EnvironmentCheck } from "@/api/generated/types.gen"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { type Api, LOCAL, refusal, renderAt, reply } from "@/testing/renderAt"
import { PRESET, pageOf } from "@/testing/samples"
import { SPEC_SCHEMA } from "@/testing/specSchema"

function check(change: Partial<EnvironmentCheck> = {}): EnvironmentCheck {
  return {
    ...{ id: 5, name: "CartPole-v1", status: "queued", is_pausing: false, worker_name: null },
    ...{ owner: { id: 1, name: "local" }, project: { id: 1, name: "default" } },
    ...{ created_at: "2026-01-01T00:00:00Z", started_at: null, finished_at: null },
    ...{ error: null, remedy: null, stream: null, verdict: null, report: null },
    ...{ suite: "gymnasium", environment: "CartPole-v1", options: {} },
    ...change,
  }
}

const DONE = check({
  status: "finished",
  verdict: "slow",
  report: {
    ...{ suite: "gymnasium", id: "CartPole-v1", observation: "4 float32", action: "2 discrete values" },
    ...{ max_episode_steps: 500, algorithms: ["dqn", "ppo"], environment: {} },
    findings: [
      { subject: "determinism", verdict: "ok", message: "a seed decides everything", remedy: "" },
      { subject: "speed", verdict: "slow", message: "20 steps/s", remedy: "make step cheaper" },
    ],
  },
})

const YAML = "environment:\n  id: CartPole-v1\n  options: {size: 8}\nalgorithm: ppo\n"

function show(api: Api) {
  return renderAt("/new", {
    "GET /api/v1/presets": pageOf([{ ...PRESET, yaml: YAML }]),
    "GET /api/v1/specs/schema": SPEC_SCHEMA,
    "POST /api/v1/specs/validate": { valid: false, problems: [], spec: null, forecast: null },
    ...api,
  })
}

async function press() {
  await userEvent.click(await screen.findByRole("button", { name: "Check this environment" }))
}

describe("the button that checks an environment", () => {
  it("asks for what is written, follows the check, and shows the report with its advice", async () => {
    let stored = check()
    const { calls } = show({
      "POST /api/v1/environment-checks": reply(201, stored),
      "GET /api/v1/environment-checks/5": () => stored,
    })
    await press()
    const dialog = await screen.findByRole("dialog")
    expect(await within(dialog).findByText("A worker tries the environment")).toBeTruthy()
    const body = { environment: "CartPole-v1", options: { size: 8 } }
    const asked = () => calls.filter(({ method, path }) => method === "POST" && path.endsWith("-checks"))
    expect(asked()[0]?.body).toMatchObject(body)
    await waitFor(() => expect(FakeEventSource.opened.at(-1)?.url).toContain("environment_checks=5"))
    stored = DONE
    act(() => FakeEventSource.last.say("checked", {}, "1.0", { kind: "environment_check", id: 5 }))
    const report = await within(dialog).findByTestId("environment-report")
    expect(
      within(report)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["finedeterminisma seed decides everything", "slowspeed20 steps/sTo do: make step cheaper"])
    expect(report.textContent).toContain("Algorithms that can learn here: dqn, ppo")
    await userEvent.keyboard("{Escape}")
    await press()
    expect(await screen.findByTestId("environment-report")).toBeTruthy()
    expect(asked(), "it is not asked for again").toHaveLength(1)
  })

  it("says what stands in the way", async () => {
    const refused = show({ "POST /api/v1/environment-checks": refusal(409, "No known worker offers it.") })
    await press()
    expect(await screen.findByText("No known worker offers it.")).toBeTruthy()
    refused.unmount()
    const failed = check({ status: "failed", error: "it was ended by SIGABRT", remedy: "read the log" })
    const broken = show({
      "POST /api/v1/environment-checks": reply(201, failed),
      "GET /api/v1/environment-checks/5": failed,
    })
    await press()
    expect((await screen.findByRole("alert")).textContent).toBe("it was ended by SIGABRTread the log")
    expect(screen.getByRole("button", { name: "Check again" })).toBeTruthy()
    broken.unmount()
    const viewer = { ...LOCAL, is_admin: false, has_accounts: true }
    viewer.projects = [{ id: 1, name: "default", role: "viewer" }]
    show({ "GET /api/v1/accounts/me": viewer })
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Check this environment" }).title).toContain("only a viewer"),
    )
  })
})

describe("the page of all checks", () => {
  it("lists them, and says when there is none", async () => {
    const none = renderAt("/environment-checks", { "GET /api/v1/environment-checks": pageOf([]) })
    expect(await screen.findByText("No check yet")).toBeTruthy()
    none.unmount()
    const stopped = check({ id: 4, status: "stopped" })
    renderAt("/environment-checks", { "GET /api/v1/environment-checks": pageOf([DONE, stopped]) })
    expect(await screen.findByTestId("environment-report")).toBeTruthy()
    expect(screen.getByText("There is no report")).toBeTruthy()
    expect(screen.getByRole("button", { name: "Resume check 4" })).toBeTruthy()
  })
})
