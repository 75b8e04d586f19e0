import { screen, waitFor } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { refusal, renderAt } from "@/testing/renderAt"
import { ancestry, lineageSummary, runLineage, schedule } from "@/testing/samples"

const IMPORT = "POST /api/v1/lineage/import"
const API = {
  [IMPORT]: runLineage(),
  "POST /api/v1/lineage/summary": lineageSummary(),
  "POST /api/v1/lineage/spans/4/ancestry": ancestry(4),
  "POST /api/v1/lineage/spans/4/schedule": schedule(4),
}

function file(name: string, text = "[]") {
  return new File([text], name, { type: "text/plain" })
}

it("draws the lineage of Ray's files, and sends no others", async () => {
  const { calls } = renderAt("/import", API)
  await userEvent.upload(await screen.findByLabelText("Choose Ray's logs"), [
    file("pbt_global.txt", "[1]"),
    file("pbt_policy_0.txt"),
    file("notes.txt"),
  ])
  expect(await screen.findByRole("img", { name: "Lineage of 4 members, 2 exploits" })).toBeTruthy()
  expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
    files: { "pbt_global.txt": "[1]", "pbt_policy_0.txt": "[]" },
  })
  expect(await screen.findByText("4 members, 2 exploits, 2 of 4 founders alive")).toBeTruthy()
})

it("shows the ancestry that one chooses, and the tree", async () => {
  renderAt("/import", API)
  await userEvent.upload(await screen.findByLabelText("Choose Ray's logs"), file("pbt_global.txt"))
  ;(await screen.findByTestId("lineage")).focus()
  await userEvent.keyboard("{ArrowRight}{Enter}")
  expect(await screen.findByRole("heading", { name: "Schedule of M3" })).toBeTruthy()
  expect(screen.queryByRole("img", { name: /Return along/ })).toBeNull()
  await userEvent.click(screen.getByRole("radio", { name: "Tree" }))
  expect(screen.getByRole("img", { name: "Tree of living members: 4 members, 2 exploits" })).toBeTruthy()
})

it("says what is wrong with the files", async () => {
  renderAt("/import", { [IMPORT]: refusal(422, "These are not Ray's mutation logs.") })
  await userEvent.upload(await screen.findByLabelText("Choose Ray's logs"), file("notes.txt"))
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("not Ray's mutation logs"))
})
