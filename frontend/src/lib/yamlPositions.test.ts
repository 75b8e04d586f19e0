import { expect, it } from "vitest"
import { lineOf, locateProblems } from "@/lib/yamlPositions"

const TEXT = `version: 1
environment: {suite: gymnasium, id: Pendulum-v9}
algorithm:
  name: td3
  bathc_size: 128
  discount: {uniform: [0.9, 2]}
`

function locate(path: string, text = TEXT): string {
  const [found] = locateProblems(text, [{ path, value: null, message: "m", remedy: "r" }])
  return `${lineOf(text, found!.from)}: ${text.slice(found!.from, found!.to)}`
}

it.each([
  ["environment.id", "2: Pendulum-v9"],
  ["algorithm.bathc_size", "5: 128"],
  ["algorithm.discount.uniform.1", "6: 2"],
  ["algorithm", "3: algorithm"],
])("finds the value at %s", (path, place) => expect(locate(path)).toBe(place))

it("finds a value whose key is itself a path, as in a group", () => {
  const text = "experiments:\n  walker: {environment.id: WalkerRn-v1}\n"
  expect(locate("experiments.walker.environment.id", text)).toBe("2: WalkerRn-v1")
  expect(locate("experiments.walker.algorithm.name", text)).toBe("2: walker")
})

it("shows a missing field at its nearest parent", () =>
  expect(locate("algorithm.network.hidden")).toBe("3: algorithm"))
it("shows a missing top field at the first line", () =>
  expect(locate("budget.env_steps")).toBe("1: version: 1"))

it("shows broken YAML where it breaks", () => {
  expect(locate("", "version: 1\nname: {a: [\n")).toMatch(/^[23]: /)
})

it("never leaves the text", () => {
  expect(locateProblems("", [{ path: "", value: null, message: "m", remedy: "r" }])[0]).toMatchObject({
    from: 0,
    to: 0,
  })
})
