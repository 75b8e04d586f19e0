import { screen, waitFor } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { nameOf, resultsAmong } from "@/features/imports/readFiles"
import { refusal, renderAt } from "@/testing/renderAt"

const IMPORT = "POST /api/v1/imports"

function file(name: string, text = "step,return\n1,2\n", folder = "") {
  const made = new File([text], name, { type: "text/plain" })
  if (folder) Object.defineProperty(made, "webkitRelativePath", { value: `${folder}/${name}` })
  return made
}

it("sends what holds results, named after the file, and says what the service refuses", async () => {
  const { calls } = renderAt("/import", { [IMPORT]: refusal(422, "sac.csv has no column 'step'.") })
  await userEvent.upload(await screen.findByLabelText("Choose result files"), [
    file("my sac.csv"),
    file("notes.md"),
  ])
  expect(screen.getByText("1 file, 0.00 MB")).toBeTruthy()
  await userEvent.type(screen.getByLabelText("Environment"), "HalfCheetah-v5")
  await userEvent.click(screen.getByRole("button", { name: "Import" }))
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("no column 'step'"))
  const sent = calls.find(({ method }) => method === "POST")?.body as Record<string, unknown>
  expect(sent).toMatchObject({
    name: "my-sac",
    environment: "HalfCheetah-v5",
    algorithm: null,
    files: [{ path: "my sac.csv", content: btoa("step,return\n1,2\n") }],
  })
})

it("knows the files of each format, and folders", () => {
  const known = [
    "a.csv",
    "0.txt",
    "result.json",
    "params.json",
    "progress.csv",
    "events.out.tfevents.17.host",
  ]
  const files = [...known, "notes.txt", "x.json"].map((name) => file(name, "", "exp 1/trial"))
  expect(resultsAmong(files).map(({ name }) => name)).toEqual(known)
  expect(nameOf(files)).toBe("exp-1")
  expect(resultsAmong([file("notes.txt")])).toHaveLength(1)
})
