import { render, screen, waitFor } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { describe, expect, it, vi } from "vitest"
import { decodeRun } from "@/api/types"
import { ExportMenu, tensorboardCommand } from "@/features/experiment/ExportMenu"
import { runRead } from "@/testing/samples"

function show() {
  render(<ExportMenu run={decodeRun(runRead())} />)
}

describe("the export menu", () => {
  it("opens, walks and closes by keyboard", async () => {
    const user = userEvent.setup()
    show()
    await user.tab()
    await user.keyboard("{Enter}")
    const items = await screen.findAllByRole("menuitem")
    expect(items.map((item) => item.getAttribute("href"))).toEqual([
      "/api/v1/runs/7/export/metrics.csv",
      "/api/v1/runs/7/export/metrics.parquet",
      "/api/v1/runs/7/export/lineage.csv",
      "/api/v1/runs/7/export/lineage.parquet",
      "/api/v1/runs/7/export/interruptions.csv",
      "/api/v1/runs/7/export/interruptions.parquet",
      "/api/v1/runs/7/lineage.newick",
      "/api/v1/runs/7/lineage.ray.zip",
      "/api/v1/runs/7/lineage",
      null,
    ])
    await waitFor(() => expect(document.activeElement).toBe(items[0]))
    await user.keyboard("{ArrowDown}{ArrowDown}")
    expect(document.activeElement).toBe(screen.getByRole("menuitem", { name: "Download lineage as CSV" }))
    await user.keyboard("{Escape}")
    expect(screen.queryAllByRole("menuitem")).toEqual([])
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Export" }))
  })

  it("follows a link that is chosen by Enter", async () => {
    const user = userEvent.setup()
    show()
    await user.click(screen.getByRole("button", { name: "Export" }))
    const link = await screen.findByRole("menuitem", { name: "Download metrics as CSV" })
    const followed = vi.fn((event: Event) => event.preventDefault())
    link.addEventListener("click", followed)
    link.focus()
    await user.keyboard("{Enter}")
    expect(followed).toHaveBeenCalledOnce()
    expect(link.hasAttribute("download")).toBe(true)
  })

  it("copies the command for TensorBoard", async () => {
    const user = userEvent.setup() // brings a clipboard
    show()
    await user.click(screen.getByRole("button", { name: "Export" }))
    await user.click(await screen.findByRole("menuitem", { name: /Copy the command/ }))
    expect(await navigator.clipboard.readText()).toBe(tensorboardCommand(7, window.location.origin))
  })
})

describe("the command", () => {
  it("is short where the CLI finds the service by itself", () => {
    expect(tensorboardCommand(7, "http://127.0.0.1:8787")).toBe("phylon export 7 --tensorboard --out run-7")
  })

  it("else names the service", () => {
    expect(tensorboardCommand(7, "https://phylon.lab")).toBe(
      "phylon export 7 --tensorboard --out run-7 --url https://phylon.lab",
    )
  })
})
