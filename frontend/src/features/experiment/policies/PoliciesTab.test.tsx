import { act, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it, vi } from "vitest"
import type { Artifact, PolicyCard } from "@/api/generated/types.gen"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, pageOf, runLineage, runRead } from "@/testing/samples"

const STORED: Artifact = {
  id: 9,
  kind: "policy",
  name: "policy.zip",
  bytes: 310_000,
  sha256: "abc",
  step: 4000,
  created_at: "2026-01-01T00:00:00Z",
  video: null,
}

const CARD: PolicyCard = {
  artifact_id: 9,
  bytes: 310_000,
  format: "phylon-policy/1",
  name: "walk",
  algorithm: "sac",
  environment: { suite: "gymnasium", id: "Hopper-v5" },
  observation: { shape: [11], dtype: "float32", parts: [] },
  action: {
    kind: "box",
    dtype: "float32",
    shape: [3],
    low: [-1, -1, -1],
    high: [1, 1, 1],
    n: null,
    start: null,
    counts: [],
    starts: [],
  },
  distribution: "normal",
  numbers: 72_454,
  weights_sha256: "0123456789abcdef",
  tolerance: 1e-5,
  provenance: {
    experiment: "walk",
    run: 7,
    seed: 4,
    member: 2,
    span: 5,
    step: 4000,
    evaluation: { mean: 130, low: null, high: null, episodes: 1 },
    final: { mean: 120, low: 110, high: 130, episodes: 100 },
    ancestry: [
      { span: 0, member: 0, step: 0, operator: "founder", hyperparams: { discount: 0.9 } },
      { span: 5, member: 2, step: 2000, operator: "perturb", hyperparams: { discount: 0.95 } },
    ],
  },
  versions: { phylon: "0.1.0" },
}

function show(artifacts: unknown, change: Api = {}) {
  return renderAt("/experiments/3?tab=policy", {
    "GET /api/v1/experiments/3": experimentRead(),
    "GET /api/v1/runs/7": runRead({ status: "finished" }),
    "GET /api/v1/runs/7/lineage": runLineage(),
    "GET /api/v1/runs/7/artifacts": Array.isArray(artifacts) ? pageOf(artifacts) : artifacts,
    "GET /api/v1/runs/7/policy": CARD,
    ...change,
  })
}

describe("the policy of a run", () => {
  it("can be downloaded, says what it is, and how it is used", async () => {
    show([STORED])
    const card = await screen.findByTestId("policy-card")
    for (const text of [
      "120.0 ± 10",
      "100 unseen episodes",
      "M2 at step 4,000, span 5",
      "Hopper-v5",
      "72,454 numbers",
    ])
      expect(card.textContent).toContain(text)
    const download = screen.getByRole("link", { name: /Download/ })
    expect(download.getAttribute("href")).toBe("/api/v1/artifacts/9/content")
    const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue()
    await userEvent.click(screen.getByRole("button", { name: "Copy: In Python" }))
    expect(writeText.mock.lastCall?.[0]).toContain('Policy.load("run-7-policy.zip")')
    const rows = within(screen.getByRole("table")).getAllByRole("row").slice(1)
    expect(rows.map((row) => row.textContent)).toEqual(["0M00founder0.9", "5M22,000perturb0.95"])
  })

  it("arrives when the run ends", async () => {
    let stored: Artifact[] = []
    show(() => pageOf(stored), { "GET /api/v1/runs/7": runRead() })
    expect(await screen.findByText("No policy yet")).toBeTruthy()
    await waitFor(() => expect(FakeEventSource.last).toBeTruthy())
    stored = [STORED]
    await act(async () => {
      const event = { kind: "policy", seq: 10, step: 5000, wall: 9, member: 1, span: 1, file: "policy.zip" }
      FakeEventSource.last.say("policy", event, "1-10")
    })
    expect(await screen.findByTestId("policy-card")).toBeTruthy()
  })

  it("has states for waiting, for failure, and for a run that left none", async () => {
    show(NEVER).unmount()
    const broken = show([STORED], { "GET /api/v1/runs/7/policy": refusal(404, "It is not readable.") })
    expect(await screen.findByText("It is not readable.")).toBeTruthy()
    broken.unmount()
    show(refusal(500, "The disk is away.")).unmount()
    show([])
    expect(await screen.findByText("No policy of this run")).toBeTruthy()
    expect(screen.getByText(/phylon policy 7/)).toBeTruthy()
  })
})
