import { screen } from "@testing-library/react"
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
  show(pageOf([workerRead(), workerRead({ id: 2, name: "gone", state: "lost", run_id: null })]))
  expect(await screen.findByText("1 of 2 connected")).toBeTruthy()
  expect(screen.getByRole("link", { name: "Run 7" }).getAttribute("href")).toBe("/runs/7")
  expect(screen.getAllByText("2 × Two cores")).toHaveLength(2)
  expect(screen.getAllByText("jax 0.10.2")).toHaveLength(2)
  expect(screen.getByText("Lost")).toBeTruthy()
})
