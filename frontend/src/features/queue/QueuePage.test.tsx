import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { queueRead, restingJob, runningJob, waitingJob } from "@/testing/queue"
import { NEVER, refusal, renderAt } from "@/testing/renderAt"
import { runRead } from "@/testing/samples"

const show = (queue: unknown, address = "/queue") => renderAt(address, { "GET /api/v1/queue": queue })
const IDLE = { running: [], waiting: [], waiting_total: 0, shares: [] }

it("shows a skeleton, then why it failed", async () => {
  const { unmount } = show(NEVER)
  expect(await screen.findByText("Loading the queue")).toBeTruthy()
  unmount()
  show(refusal(500, "The database is locked."))
  expect(await screen.findByText("The database is locked.")).toBeTruthy()
})

it("says what to do when nothing runs and nothing waits", async () => {
  const { unmount } = show(queueRead({ ...IDLE, slots: 2, free_slots: 2 }))
  expect(
    await screen.findByText("2 devices are free: what you submit now starts within seconds."),
  ).toBeTruthy()
  unmount()
  const without = show(queueRead({ ...IDLE, slots: 0, free_slots: 0 }))
  expect(await screen.findByRole("link", { name: "Add a worker" })).toBeTruthy()
  without.unmount()
  show(queueRead({ ...IDLE }), "/queue?owner=2")
  expect(await screen.findByText("Nothing of this kind runs or waits")).toBeTruthy()
})

it("shows what runs, what waits and why, and whose share is how large", async () => {
  show(queueRead())
  expect(await screen.findByText("1 of 1 device in use, 2 wait")).toBeTruthy()
  const [first, second] = within(screen.getByRole("list", { name: "Waiting jobs" })).getAllByRole("listitem")
  expect(first!.textContent).toContain("it is the next")
  expect(first!.textContent).toContain("Start unknown: it waits for jobs")
  expect(second!.textContent).toContain("A run")
  expect(within(second!).queryByRole("button")).toBeNull()
  expect(screen.getByText("weight 2 · 3 device-hours · 1 in use")).toBeTruthy()
  expect(screen.getByRole("img", { name: "vision: 60% of recent use, due 50%" })).toBeTruthy()
})

it("shows a run of several hosts as one entry, with all its workers", async () => {
  const gang = runningJob({
    hosts: 2,
    devices: 2,
    others: [{ worker_id: 2, worker_name: "attic", slots: [0] }],
  })
  show(queueRead({ running: [gang] }))
  const [entry, ...more] = within(await screen.findByRole("list", { name: "Running jobs" })).getAllByRole(
    "listitem",
  )
  expect(more).toEqual([])
  expect(entry!.textContent).toContain("2 hosts · 2 devices")
  expect(entry!.textContent).toContain("bench, slot 0; attic")
})

it("moves, changes the class, stops, and retries what failed", async () => {
  const failed = restingJob()
  const { calls } = renderAt("/queue", {
    "GET /api/v1/queue": queueRead({ resting: [failed] }),
    "PATCH /api/v1/jobs/101": queueRead(),
    "POST /api/v1/runs/101/stop": runRead({ id: 101, status: "stopped" }),
    "POST /api/v1/runs/50/retry": runRead({ id: 50, status: "queued" }),
  })
  const choose = async (job: string, item: string, role = "menuitem") => {
    await userEvent.click(await screen.findByRole("button", { name: job }))
    await userEvent.click(await screen.findByRole(role, { name: item }))
  }
  await choose("Actions of job 101, waiting 1", "Move to the front")
  await choose("Actions of job 101, waiting 1", "high", "menuitemradio")
  await choose("Actions of job 101, waiting 1", "Stop")
  await choose("Actions of job 50, resting", "Retry")
  await waitFor(() =>
    expect(calls.filter(({ method }) => method !== "GET").map(({ path, body }) => [path, body])).toEqual([
      ["/api/v1/jobs/101", { to: "front" }],
      ["/api/v1/jobs/101", { priority: "high" }],
      ["/api/v1/runs/101/stop", null],
      ["/api/v1/runs/50/retry", null],
    ]),
  )
})

it("keeps the filters and the number of rows in the address", async () => {
  const many = Array.from({ length: 100 }, (_, index) => waitingJob(index + 1))
  const { calls, router } = show(queueRead({ waiting: many, waiting_total: 300 }))
  await userEvent.selectOptions(await screen.findByLabelText("Owner"), "ada")
  await userEvent.selectOptions(screen.getByLabelText("Class"), "high class")
  await userEvent.click(screen.getByRole("button", { name: "Show 100 more" }))
  await waitFor(() =>
    expect(router.state.location.search).toEqual({ owner: 2, priority: "high", shown: 200 }),
  )
  await waitFor(() => {
    const last = calls.findLast(({ path }) => path === "/api/v1/queue")!
    expect(Object.fromEntries(last.query)).toEqual({ owner: "2", priority: "high", limit: "200" })
  })
})
