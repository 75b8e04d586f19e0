import { screen, waitFor } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it } from "vitest"
import { advice, speedAdvice, workerAdvice } from "@/testing/advice"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { PRESET, pageOf } from "@/testing/samples"
import { study } from "@/testing/studies"

const FORECAST = {
  experiments: null,
  members: 8,
  runs: 1,
  total_env_steps: 9600,
  replay_bytes: 5e6,
  checkpoint_bytes: 6e6,
  checkpoints_kept: 4,
  disk_bytes: 24e6,
}

function show(answer: unknown, api: Api = {}) {
  return renderAt(`/new?preset=${PRESET.name}`, {
    "GET /api/v1/presets": pageOf([PRESET]),
    "POST /api/v1/specs/validate": { valid: true, problems: [], spec: {}, forecast: FORECAST },
    "POST /api/v1/specs/advice": answer,
    ...api,
  })
}

describe("advice on the population's size", () => {
  it("shows what fits, what is nearly free, and which study measured it", async () => {
    const { calls } = show(advice())
    expect(await screen.findByText("Up to 40 fit into its memory")).toBeTruthy()
    expect(screen.getByText("Nearly free up to 8 members")).toBeTruthy()
    const link = screen.getByRole("link", { name: "figure2-td3-sac" })
    expect(link.getAttribute("href")).toContain("/studies?ids=")
    expect(screen.getByRole("button", { name: "Measure on bench" }).textContent).toBe("Measure again")
    expect(calls.find(({ path }) => path === "/api/v1/specs/advice")!.body).toEqual({ yaml: PRESET.yaml })
  })

  it("offers to measure where no study has, and then says that it is measured", async () => {
    let answer = advice({ workers: [workerAdvice({ speed: null })] })
    const { calls } = show(() => answer, { "POST /api/v1/studies": () => study({ id: 9, status: "queued" }) })
    const button = await screen.findByRole("button", { name: "Measure on bench" })
    answer = advice({ workers: [workerAdvice({ speed: null, measuring_study_id: 9 })] })
    await userEvent.click(button)
    expect(await screen.findByRole("link", { name: "study 9" })).toBeTruthy()
    const sent = calls.find(({ path, method }) => path === "/api/v1/studies" && method === "POST")!
    expect(sent.body).toEqual({ yaml: "kind: runtime_study\n", worker_id: 1 })
  })

  it("says why nothing can be measured, and what other devices cost", async () => {
    show(
      advice({
        probe: null,
        unmeasured: "Runtime studies do not measure drac.",
        workers: [workerAdvice({ speed: null, members: 4 })],
        elsewhere: [speedAdvice({ device_name: "Far away" })],
      }),
    )
    expect(await screen.findByText("Runtime studies do not measure drac.")).toBeTruthy()
    expect(screen.getByText("8 members are too many: 4 fit into its memory")).toBeTruthy()
    expect(screen.getByText("Far away")).toBeTruthy()
  })

  it("has a word for no worker, for waiting and for failure", async () => {
    const empty = show(advice({ workers: [] }))
    expect(await screen.findByText("No worker is connected")).toBeTruthy()
    empty.unmount()
    const waiting = show(NEVER)
    expect(await screen.findByText("Looking at workers and studies")).toBeTruthy()
    waiting.unmount()
    show(refusal(500, "The adviser is out."))
    await waitFor(() => expect(screen.getByText("The adviser is out.")).toBeTruthy())
  })
})
