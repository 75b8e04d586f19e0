import { expect, it } from "vitest"
import { readCreationSearch, readExperimentSearch, readExperimentsSearch } from "@/lib/search"

it("keeps what it understands", () => {
  expect(readExperimentSearch({ run: 2, tab: "logs", axis: "wall", span: 4, log: true })).toMatchObject({
    run: 2,
    tab: "logs",
    axis: "wall",
    span: 4,
    log: true,
  })
})

it("leaves out what it does not", () => {
  const read = readExperimentSearch({ run: "x", tab: "cats", axis: 3, span: 1.5, log: "yes" })
  expect(Object.values(read).every((value) => value === undefined)).toBe(true)
  expect(readExperimentsSearch({ status: "sleeping" }).query).toBeUndefined()
})

it("reads links of earlier versions as queries", () => {
  expect(readExperimentsSearch({ search: 42 }).query).toBe('"42"')
  expect(readExperimentsSearch({ search: "ant", status: "failed" }).query).toBe('"ant" and status = failed')
  expect(readExperimentsSearch({ query: 42, search: "ant" }).query).toBe("42")
})
it("reads the origin of a draft", () =>
  expect(readCreationSearch({ preset: "a", from: 3, fork: 7, span: 5 })).toEqual({
    preset: "a",
    from: 3,
    fork: 7,
    span: 5,
  }))
