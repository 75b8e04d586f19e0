import { screen } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { refusal, renderAt } from "@/testing/renderAt"
import { pageOf, runRead } from "@/testing/samples"

const NOTHING = { "GET /api/v1/workers": pageOf([]) }

it("names the pages", async () => {
  renderAt("/workers", NOTHING)
  const links = (await screen.findAllByRole("link")).map((link) => link.textContent)
  expect(links.slice(2, 8)).toEqual([
    "Experiments",
    expect.stringContaining("New"),
    "Compare",
    "Queue",
    "Workers",
    expect.stringContaining("studies"),
  ])
})

it("has a page for addresses that lead nowhere", async () => {
  renderAt("/nowhere", NOTHING)
  expect(await screen.findByText("Page not found")).toBeTruthy()
})

it("says when the API is unreachable", async () => {
  renderAt("/workers", { ...NOTHING, "GET /api/v1/health": new Error("no network") })
  expect(await screen.findByText("The API is unreachable, retrying…")).toBeTruthy()
})

it("says when a part of the service is away", async () => {
  renderAt("/workers", {
    ...NOTHING,
    "GET /api/v1/health": {
      status: "degraded",
      database: "ok",
      redis: "unavailable",
      storage: "ok",
      storage_free_bytes: null,
      version: "0",
    },
  })
  expect(await screen.findByText(/Redis is unavailable/)).toBeTruthy()
})

it("goes round the themes and keeps the choice", async () => {
  renderAt("/workers", NOTHING)
  await userEvent.click(await screen.findByRole("button", { name: /^Theme: system/ }))
  expect(document.documentElement.dataset.theme).toBe("light")
  await userEvent.click(screen.getByRole("button", { name: /^Theme: light/ }))
  expect(document.documentElement.dataset.theme).toBe("dark")
  expect(localStorage.getItem("phylon.theme")).toBe('"dark"')
  await userEvent.click(screen.getByRole("button", { name: /^Theme: dark/ }))
})

it("leads from a run to its experiment", async () => {
  const { router } = renderAt("/runs/7", {
    "GET /api/v1/runs/7": runRead(),
    "GET /api/v1/experiments/3": refusal(404, "gone"),
  })
  await screen.findByText("Page not found")
  expect(router.state.location.pathname).toBe("/experiments/3")
  expect(router.state.location.search).toMatchObject({ run: 7 })
})
