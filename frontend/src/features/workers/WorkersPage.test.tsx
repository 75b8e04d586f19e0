import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { NEVER, refusal, renderAt } from "@/testing/renderAt"
import { pageOf, workerRead } from "@/testing/samples"

const show = (workers: unknown) => renderAt("/workers", { "GET /api/v1/workers": workers })

it("shows a skeleton while it loads", async () => {
  show(NEVER)
  expect(await screen.findByText("Loading workers")).toBeTruthy()
})

it("says how to start the first one", async () => {
  show(pageOf([]))
  expect(await screen.findByText("phylon worker")).toBeTruthy()
})

it("says what went wrong", async () => {
  show(refusal(500, "The database is locked."))
  expect(await screen.findByText("The database is locked.")).toBeTruthy()
})

it("shows each worker with its device, versions and run", async () => {
  show(
    pageOf([
      workerRead(),
      workerRead({ id: 2, name: "gone", state: "lost", slots: [{ number: 0, is_free: true, job: null }] }),
    ]),
  )
  expect(await screen.findByText("1 of 2 connected, 0 of 1 slots free")).toBeTruthy()
  expect(screen.getByRole("link", { name: "Run 7 · pendulum" }).getAttribute("href")).toBe("/runs/7")
  expect(screen.getAllByText("2 × Two cores")).toHaveLength(2)
  expect(screen.getAllByText("jax 0.10.2")).toHaveLength(2)
  expect(screen.getByText("Lost")).toBeTruthy()
})

it("shows why a worker gets no jobs, and versions that differ", async () => {
  const reason = "3 different jobs crashed here within 10 minutes."
  const job = { job_id: 5, kind: "study" as const, id: 4, name: "figure 2" }
  const slots = [
    { number: 0, is_free: false, job },
    { number: 1, is_free: true, job: null },
    { number: 2, is_free: false, job: null },
  ]
  const differing_versions = { jax: "0.11.0" }
  const quarantined_at = new Date().toISOString()
  const blamed_for = [{ job_id: 6, kind: "run" as const, id: 12, name: "crashed" }]
  const shown = { state: "quarantined" as const, reason, slots, labels: ["a100"], differing_versions }
  const { calls } = renderAt("/workers", {
    "GET /api/v1/workers": pageOf([workerRead({ ...shown, quarantined_at, blamed_for })]),
    "GET /api/v1/workers/1/load": { start: quarantined_at, bucket_seconds: 1800, busy: [0, 0.5, 1] },
    "POST /api/v1/workers/1/release": workerRead(),
    "POST /api/v1/workers/1/drain": workerRead(),
  })
  expect(await screen.findByText(reason)).toBeTruthy()
  expect(screen.getByText("Quarantined")).toBeTruthy()
  expect(screen.getByRole("link", { name: "Study 4 · figure 2" })).toBeTruthy()
  expect(screen.getByRole("link", { name: "Run 12 · crashed" })).toBeTruthy()
  expect(screen.getByText("a job of another project")).toBeTruthy()
  expect(await screen.findByRole("img", { name: "bench was busy 50% of the last day" })).toBeTruthy()
  expect(screen.getByText("free")).toBeTruthy()
  expect(screen.getByText("a100")).toBeTruthy()
  expect(screen.getByText("Other versions than the service: jax 0.10.2 (service: 0.11.0)")).toBeTruthy()
  await userEvent.click(screen.getByRole("button", { name: "Let it back: bench" }))
  await userEvent.click(screen.getByRole("button", { name: "Drain now: bench" }))
  await userEvent.click(
    within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Drain now" }),
  )
  await waitFor(() => expect(calls.filter(({ method }) => method === "POST")).toHaveLength(2))
  expect(calls.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body])).toEqual([
    ["/api/v1/workers/1/release", null],
    ["/api/v1/workers/1/drain", { now: true }],
  ])
})
