import { act, fireEvent, screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it, vi } from "vitest"
import type { Artifact } from "@/api/generated/types.gen"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { type Api, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, pageOf, runLineage, runRead } from "@/testing/samples"

function artifact(id: number, change: Partial<Artifact>): Artifact {
  return {
    id,
    kind: "checkpoint",
    name: "000080.npz",
    bytes: 8_000_000,
    sha256: "abc",
    step: 4000,
    created_at: "2026-01-01T00:00:00Z",
    video: null,
    ...change,
  }
}

function video(id: number, step: number, member: number, change: Partial<Artifact["video"]> = {}) {
  const shown = {
    member,
    span: member,
    episode_return: 120.5,
    episode_steps: 200,
    ended: true,
    ...change,
  }
  return artifact(id, {
    kind: "video",
    name: `step-${step}-member-${member}.mp4`,
    bytes: 80_000,
    step,
    video: shown,
  })
}

const FILMED: Api = {
  "GET /api/v1/experiments/3": experimentRead({ spec: { version: 1, videos: { interval: 1000 } } }),
  "GET /api/v1/runs/7": runRead(),
  "GET /api/v1/runs/7/lineage": runLineage(),
}

function show(artifacts: unknown, change: Api = {}) {
  return renderAt("/experiments/3?tab=videos", {
    ...FILMED,
    "GET /api/v1/runs/7/artifacts": Array.isArray(artifacts) ? pageOf(artifacts) : artifacts,
    ...change,
  })
}

async function captions() {
  const gallery = await screen.findByTestId("videos")
  return within(gallery)
    .getAllByRole("figure")
    .map((figure) => figure.querySelector("figcaption")!.textContent)
}

describe("the videos of a run", () => {
  it("show the newest first, with whom they show and how that went", async () => {
    show([
      video(1, 1000, 0),
      artifact(2, {}),
      video(3, 2000, 3, { episode_return: "NaN", ended: false }),
      video(4, 2000, 1),
      artifact(5, { kind: "video", name: "not-reported-yet.mp4" }),
    ])
    expect(await captions()).toEqual([
      "M1 at step 2,000return 120.5 · 200 steps",
      "M3 at step 2,000return – · first 200 steps",
      "M0 at step 1,000return 120.5 · 200 steps",
    ])
  })

  it("play at a click or a key, and then have the browser's controls", async () => {
    show([video(4, 2000, 1)])
    const play = vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue()
    const player = await screen.findByLabelText("M1 at step 2,000")
    expect(player.getAttribute("src")).toBe("/api/v1/artifacts/4/content")
    expect(player.hasAttribute("controls")).toBe(false)
    screen.getByRole("button", { name: "Play M1 at step 2,000" }).focus()
    await userEvent.keyboard("{Enter}")
    expect(play).toHaveBeenCalledOnce()
    expect(player.hasAttribute("controls")).toBe(true)
    expect(document.activeElement).toBe(player)
    expect(screen.queryByRole("button", { name: /Play/ })).toBeNull()
  })

  it("can be looked through member by member, a page at a time", async () => {
    show([...Array.from({ length: 15 }, (_, at) => video(100 + at, 1000 * (at + 1), 0)), video(200, 1000, 2)])
    expect(await captions()).toHaveLength(12)
    await userEvent.click(screen.getByRole("button", { name: "Show older ones (4)" }))
    expect(await captions()).toHaveLength(16)
    await userEvent.selectOptions(screen.getByLabelText("Member"), "M2")
    expect(await captions()).toEqual(["M2 at step 1,000return 120.5 · 200 steps"])
  })

  it("say so when the browser cannot play one", async () => {
    show([video(1, 1000, 0)])
    fireEvent.error(await screen.findByLabelText("M0 at step 1,000"))
    expect(screen.getByRole("alert").textContent).toContain("cannot be played")
    expect(screen.getByRole("link", { name: /Download the video of M0/ })).toBeTruthy()
  })

  it("arrive while the run goes on", async () => {
    let stored = [artifact(2, {})]
    show(() => pageOf(stored))
    expect(await screen.findByText("No video yet")).toBeTruthy()
    await waitFor(() => expect(FakeEventSource.last).toBeTruthy())
    stored = [...stored, video(3, 5000, 1)]
    await act(async () => {
      const event = { kind: "video", seq: 10, step: 5000, wall: 9, member: 1, span: 1, file: "a.mp4" }
      FakeEventSource.last.say("video", event, "1-10")
    })
    expect(await captions()).toEqual(["M1 at step 5,000return 120.5 · 200 steps"])
  })

  it("have states for waiting and for failure", async () => {
    show(NEVER).unmount()
    show(refusal(500, "The disk is away."))
    expect(await screen.findByText("The disk is away.")).toBeTruthy()
    expect(screen.getByText("The videos could not be loaded")).toBeTruthy()
  })

  it("have no tab where the spec asks for none", async () => {
    show([], { "GET /api/v1/experiments/3": experimentRead() })
    expect(await screen.findByRole("tab", { name: "Overview", selected: true })).toBeTruthy()
    expect(screen.queryByRole("tab", { name: "Videos" })).toBeNull()
  })
})
