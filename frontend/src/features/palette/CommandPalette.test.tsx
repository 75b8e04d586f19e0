import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { renderAt } from "@/testing/renderAt"
import { PRESET, pageOf, runRead, summary, workerRead } from "@/testing/samples"

const API = {
  "GET /api/v1/workers": pageOf([workerRead()]),
  "GET /api/v1/presets": pageOf([PRESET]),
  "GET /api/v1/experiments": {
    items: [summary({ id: 3, name: "cheetah-wins" })],
    total: 1,
    next: null,
  },
  "GET /api/v1/runs/7": runRead(),
}

async function openPalette() {
  await screen.findByRole("heading", { name: "Workers" })
  await userEvent.keyboard("{Control>}k{/Control}")
  return screen.findByRole("combobox", { name: "Page, experiment, run, preset or action" })
}

it("goes to a page by the keyboard alone", async () => {
  const { router } = renderAt("/workers", API)
  await openPalette()
  await userEvent.keyboard("new exp")
  await userEvent.keyboard("{Enter}")
  await waitFor(() => expect(router.state.location.pathname).toBe("/new"))
  expect(screen.queryByRole("listbox", { name: "Commands" })).toBeNull()
})

it("finds experiments on the server, presets, and runs by number", async () => {
  const { calls, router } = renderAt("/workers", API)
  const input = await openPalette()
  await userEvent.keyboard("cheetah")
  const list = screen.getByRole("listbox", { name: "Commands" })
  expect(await within(list).findByRole("option", { name: /cheetah-wins/ })).toBeTruthy()
  expect(calls.find(({ path }) => path === "/api/v1/experiments")!.query.get("search")).toBe("cheetah")
  await userEvent.clear(input)
  await userEvent.type(input, "pendulum")
  expect(await within(list).findByRole("option", { name: /td3-pbt-pendulum-smoke.*Preset/ })).toBeTruthy()
  await userEvent.clear(input)
  await userEvent.type(input, "run 7{Enter}")
  await waitFor(() => expect(router.state.location.search).toMatchObject({ run: 7 }))
})

it("offers what the page's own buttons do, and presses them", async () => {
  renderAt("/workers", API)
  await openPalette()
  await userEvent.keyboard("drain now")
  const option = await screen.findByRole("option", { name: /Drain now: bench.*This page/ })
  await userEvent.click(option)
  expect(await screen.findByRole("alertdialog")).toBeTruthy()
})

it("closes by Escape and says when nothing matches", async () => {
  renderAt("/workers", API)
  await openPalette()
  await userEvent.keyboard("zzzz")
  expect(await screen.findByText(/^Nothing matches/)).toBeTruthy()
  await userEvent.keyboard("{Escape}")
  await waitFor(() => expect(screen.queryByRole("listbox", { name: "Commands" })).toBeNull())
})
