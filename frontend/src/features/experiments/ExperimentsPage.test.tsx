import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { type Api, type Call, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, PRESET, pageOf, summary, workerRead } from "@/testing/samples"

const TWO = {
  items: [
    summary({ id: 4, name: "zebra", best_return: -10 }),
    summary({ id: 5, name: "ant", status: "failed", best_return: null, error_message: "loss is NaN" }),
  ],
  total: 2,
}

function wide(matches: boolean) {
  vi.spyOn(window, "matchMedia").mockImplementation(
    (query) =>
      ({
        ...new EventTarget(),
        matches,
        media: query,
        addEventListener() {},
        removeEventListener() {},
      }) as never,
  )
}

beforeEach(() => wide(true))

function show(experiments: unknown, address = "/", api: Api = {}) {
  return renderAt(address, { "GET /api/v1/experiments": experiments, ...api })
}

async function rowNames() {
  const table = await screen.findByRole("table")
  return within(table)
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getByRole("link").textContent)
}

describe("the experiments table", () => {
  it("follows the list page by page", async () => {
    const pages: Record<string, object> = {
      "": { items: [summary({ id: 2, name: "newer" })], total: 2, next: "older-ones" },
      "older-ones": { items: [summary({ id: 1, name: "older" })], total: 2, next: null },
    }
    show(({ query }: Call) => pages[query.get("after") ?? ""])
    expect(await rowNames()).toEqual(["newer"])
    expect(screen.getByText("The newest 1 of 2 experiments")).toBeTruthy()
    await userEvent.click(screen.getByRole("button", { name: "Show more" }))
    await waitFor(async () => expect((await rowNames()).toSorted()).toEqual(["newer", "older"]))
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull()
    expect(screen.getByText("2 experiments")).toBeTruthy()
  })

  it("shows a skeleton while it loads", async () => {
    show(NEVER)
    expect(await screen.findByText("Loading experiments")).toBeTruthy()
  })

  it("says what went wrong and tries again", async () => {
    let answers = 0
    show(() => (answers++ === 0 ? refusal(500, "The database is locked.", "Wait a moment.") : TWO))
    expect((await screen.findByRole("alert")).textContent).toMatch(/The database is locked.*Wait a moment/)
    await userEvent.click(screen.getByRole("button", { name: "Try again" }))
    expect(await rowNames()).toHaveLength(2)
  })

  it("shows name, state, progress and the error of each experiment", async () => {
    show(TWO)
    const table = await screen.findByRole("table")
    expect(within(table).getByText("loss is NaN")).toBeTruthy()
    expect(within(table).getByText("Failed")).toBeTruthy()
    expect(
      within(table).getByRole("progressbar", { name: "Progress of zebra" }).getAttribute("aria-valuenow"),
    ).toBe("33.3")
    expect(within(table).getByRole("img", { name: /Best return over time, zebra/ })).toBeTruthy()
  })

  it("sorts by a column and keeps it in the address", async () => {
    const { router } = show(TWO)
    await rowNames()
    await userEvent.click(screen.getByRole("button", { name: /^Experiment/ }))
    expect(await rowNames()).toEqual(["ant", "zebra"])
    expect(router.state.location.search).toMatchObject({ sort: "name" })
    await userEvent.click(screen.getByRole("button", { name: /^Best/ }))
    expect(await rowNames()).toEqual(["zebra", "ant"])
  })

  it("asks the API for what the filter says", async () => {
    const { calls } = show((call: Call) =>
      call.query.get("search") === "ze" ? { items: [TWO.items[0]], total: 1 } : TWO,
    )
    await userEvent.type(await screen.findByRole("searchbox"), "ze")
    await waitFor(async () => expect(await rowNames()).toEqual(["zebra"]))
    await userEvent.selectOptions(screen.getByLabelText("Filter by status"), "failed")
    await waitFor(() => expect(calls.at(-1)!.query.get("status")).toBe("failed"))
  })

  it("links to groups and filters by them", async () => {
    const member = summary({ id: 6, name: "dmc15-walker-run", group: { id: 2, name: "dmc15" } })
    const { calls, router } = show({ items: [member], total: 1 }, "/", {
      "GET /api/v1/groups": pageOf([{ id: 2, name: "dmc15" }]),
    })
    const link = await screen.findByRole("link", { name: "dmc15" })
    expect(link.getAttribute("href")).toBe("/groups/2")
    await userEvent.selectOptions(await screen.findByLabelText("Filter by group"), "2")
    await waitFor(() => expect(calls.some(({ query }) => query.get("group") === "2")).toBe(true))
    expect(router.state.location.search).toMatchObject({ group: 2 })
  })

  it("offers to clear a filter that nothing matches", async () => {
    const { router } = show({ items: [], total: 0 }, "/?search=nothing")
    await userEvent.click(await screen.findByRole("button", { name: "Clear the filter" }))
    expect(router.state.location.search).toEqual({})
  })

  it("remembers which columns are shown", async () => {
    const first = show(TWO)
    await rowNames()
    await userEvent.click(screen.getByRole("button", { name: "Columns" }))
    await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Steps/s" }))
    expect(screen.queryByRole("columnheader", { name: "Steps/s" })).toBeNull()
    first.unmount()
    show(TWO)
    await rowNames()
    expect(screen.queryByRole("columnheader", { name: "Steps/s" })).toBeNull()
    expect(screen.getByRole("columnheader", { name: /Best/ })).toBeTruthy()
  })

  it("becomes cards on a narrow screen", async () => {
    wide(false)
    show(TWO)
    expect(await screen.findByRole("link", { name: /zebra/ })).toBeTruthy()
    expect(screen.queryByRole("table")).toBeNull()
  })
})

describe("the first start", () => {
  const api = {
    "GET /api/v1/presets": pageOf([PRESET]),
    "GET /api/v1/workers": pageOf([workerRead({ state: "lost" })]),
    "POST /api/v1/experiments": experimentRead(),
    "GET /api/v1/experiments/3": experimentRead(),
  }

  it("starts the smoke preset with one press and goes to its page", async () => {
    const { calls, router } = show({ items: [], total: 0 }, "/", api)
    await waitFor(async () =>
      expect(
        (await screen.findByRole("button", { name: "Start td3-pbt-pendulum-smoke" })).hasAttribute(
          "disabled",
        ),
      ).toBe(false),
    )
    await userEvent.click(screen.getByRole("button", { name: "Start td3-pbt-pendulum-smoke" }))
    await waitFor(() => expect(router.state.location.pathname).toBe("/experiments/3"))
    expect(calls.find(({ method }) => method === "POST")!.body).toEqual({ yaml: PRESET.yaml })
  })

  it("warns when no worker is connected", async () => {
    show({ items: [], total: 0 }, "/", api)
    expect(await screen.findByText(/No worker is connected/)).toBeTruthy()
  })

  it("says why an experiment could not be started", async () => {
    show({ items: [], total: 0 }, "/", {
      ...api,
      "POST /api/v1/experiments": refusal(422, "The spec is invalid."),
    })
    const button = await screen.findByRole("button", { name: "Start td3-pbt-pendulum-smoke" })
    await waitFor(() => expect(button.hasAttribute("disabled")).toBe(false))
    await userEvent.click(button)
    expect(await screen.findByText("The spec is invalid.")).toBeTruthy()
  })
})
