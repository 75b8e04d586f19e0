import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { type Api, type Call, refusal, renderAt } from "@/testing/renderAt"
import { experimentRead, PRESET, pageOf, summary, workerRead } from "@/testing/samples"

const TWO = {
  items: [
    summary({ id: 4, name: "zebra", best_return: -10, final_return: -172 }),
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

const FIELDS = pageOf([
  { name: "algorithm", kind: "text", meaning: "What trains its members" },
  { name: "spec.algorithm.batch_size", kind: "spec", meaning: "A value of the spec" },
])

function show(experiments: unknown, address = "/experiments", api: Api = {}) {
  return renderAt(address, {
    "GET /api/v1/experiments": experiments,
    "GET /api/v1/experiments/fields": FIELDS,
    "GET /api/v1/views": pageOf([]),
    ...api,
  })
}

async function rowNames() {
  const table = await screen.findByRole("grid")
  await waitFor(() => expect(within(table).getAllByRole("link").length).toBeGreaterThan(0))
  return within(table)
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getByRole("link").textContent)
}

const asked = (calls: readonly Call[], name: string) =>
  calls.filter(({ path }) => path === "/api/v1/experiments").map(({ query }) => query.get(name))

describe("the experiments table", () => {
  it("shows a skeleton, then rows with state, progress and error, and says how many there are", async () => {
    show({ ...TWO, total: 812 })
    expect(await screen.findByText("Loading experiments")).toBeTruthy()
    const grid = await screen.findByRole("grid")
    expect(await within(grid).findByText("loss is NaN")).toBeTruthy()
    expect(grid.getAttribute("aria-rowcount")).toBe("813")
    expect(screen.getByText("812 experiments")).toBeTruthy()
    expect(
      within(grid).getByRole("progressbar", { name: "Progress of zebra" }).getAttribute("aria-valuenow"),
    ).toBe("33.3")
    expect(within(grid).getByRole("link", { name: "zebra" }).closest("tr")!.ariaRowIndex ?? "2").toBe("2")
  })

  it("says what went wrong and tries again", async () => {
    let answers = 0
    show(() => (answers++ === 0 ? refusal(500, "The database is locked.", "Wait a moment.") : TWO))
    expect((await screen.findByRole("alert")).textContent).toMatch(/The database is locked.*Wait a moment/)
    await userEvent.click(screen.getByRole("button", { name: "Try again" }))
    expect(await rowNames()).toHaveLength(2)
  })

  it("has the service sort, filter and bring values, and keeps all in the address", async () => {
    const { calls, router } = show(TWO, "/experiments?columns=name,final,spec.algorithm.batch_size")
    await rowNames()
    await userEvent.click(screen.getByRole("button", { name: /^Final/ }))
    await waitFor(() => expect(asked(calls, "sort")).toContain("-final"))
    expect(router.state.location.search).toMatchObject({ sort: "-final" })
    await userEvent.type(screen.getByRole("combobox", { name: "Query" }), "tag = paper{Enter}")
    await waitFor(() => expect(asked(calls, "query")).toContain("tag = paper"))
    expect(asked(calls, "column")).toContain("spec.algorithm.batch_size")
    await userEvent.click(screen.getByRole("button", { name: "Columns" }))
    await userEvent.click(await screen.findByRole("checkbox", { name: "Best" }))
    expect(router.state.location.search).toMatchObject({
      columns: "name,final,spec.algorithm.batch_size,best",
    })
  })

  it("completes a query and shows where it cannot be read", async () => {
    const { calls } = show(
      (call: Call) =>
        call.query.get("query") ? refusal(422, "The query cannot be read.", "Write a value.") : TWO,
      "/experiments",
      {
        "GET /api/v1/experiments/counts": pageOf([
          { value: "td3", query: "", count: 1, final_return: null, best_final_return: null },
        ]),
      },
    )
    await rowNames()
    const box = screen.getByRole("combobox", { name: "Query" })
    await userEvent.type(box, "alg")
    await userEvent.click(await screen.findByRole("option", { name: /^algorithm/ }))
    await userEvent.type(box, "= ")
    await userEvent.type(box, "{ArrowDown}{Enter}{Enter}")
    expect((box as HTMLInputElement).value).toBe("algorithm = td3 ")
    await waitFor(() => expect(asked(calls, "query")).toContain("algorithm = td3"))
    expect((await screen.findByRole("alert")).textContent).toContain("Write a value.")
    expect(box.getAttribute("aria-invalid")).toBe("true")
  })

  it("is used by keys alone: rows, selection, and what is done with it", async () => {
    const { calls, router } = show(TWO, "/experiments", {
      "POST /api/v1/experiments/bulk": { done: [4], refused: [{ id: 5, reason: "Not yours." }] },
    })
    await rowNames()
    await userEvent.keyboard("/")
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Query" }))
    const first = screen.getByRole("link", { name: "zebra" }).closest("tr")!
    first.focus()
    await userEvent.keyboard(" {ArrowDown}")
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-rowindex")).toBe("3"))
    await userEvent.keyboard(" ")
    expect(first.getAttribute("aria-selected")).toBe("true")
    const [, ofSelection] = screen.getAllByRole("link", { name: "Compare" }) // the first leads to the page
    expect(ofSelection?.getAttribute("href")).toBe("/compare?experiments=4,5")
    await userEvent.click(screen.getByRole("button", { name: "Archive" }))
    expect(await screen.findByText("1 experiment archived")).toBeTruthy()
    expect(screen.getByText("Not yours.")).toBeTruthy()
    expect(calls.find(({ method }) => method === "POST")!.body).toEqual({
      ids: [4, 5],
      action: "archive",
      tag: null,
    })
    first.focus()
    await userEvent.keyboard("?")
    expect(await screen.findByRole("dialog", { name: "Keys of this page" })).toBeTruthy()
    await userEvent.keyboard("{Escape}")
    first.focus()
    await userEvent.keyboard("{Enter}")
    await waitFor(() => expect(router.state.location.pathname).toBe("/experiments/4"))
  })

  it("groups by a column, opens saved views, and leads old links on", async () => {
    const counts = [
      { value: "td3", query: 'algorithm = "td3"', count: 2, final_return: 5, best_final_return: 7 },
    ]
    const layout = { columns: ["name", "final"], sort: "-final", group_by: null }
    const view = {
      ...{ id: 1, name: "papers", query: "tag = paper", layout, project: null },
      ...{ owner: { id: 1, name: "local" }, created_at: "2026-01-01T00:00:00Z" },
    }
    const { calls, router } = show(TWO, "/?status=failed", {
      "GET /api/v1/experiments/counts": pageOf(counts),
      "GET /api/v1/views": pageOf([view]),
    })
    await rowNames()
    expect(router.state.location).toMatchObject({
      pathname: "/experiments",
      search: { query: "status = failed" },
    })
    await userEvent.selectOptions(screen.getByLabelText("Group by"), "method")
    await userEvent.click(
      await screen.findByRole("button", { name: /td3.*2 experiments.*final 5 on average/ }),
    )
    await rowNames()
    expect(asked(calls, "query")).toContain('(status = failed) and algorithm = "td3"')
    await userEvent.click(screen.getByRole("button", { name: "Views" }))
    await userEvent.click(await screen.findByRole("button", { name: /^papers/ }))
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        query: "tag = paper",
        sort: "-final",
        columns: "name,final",
      }),
    )
  })

  it("offers to clear a query that nothing matches, and becomes cards on a narrow screen", async () => {
    wide(false)
    const { router } = show(
      ({ query }: Call) => (query.get("query") ? { items: [], total: 0 } : TWO),
      "/experiments?query=nothing",
    )
    await userEvent.click(await screen.findByRole("button", { name: "Clear the query" }))
    expect(router.state.location.search).toEqual({})
    expect(await screen.findByRole("link", { name: /zebra/ })).toBeTruthy()
    expect(screen.queryByRole("grid")).toBeNull()
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
