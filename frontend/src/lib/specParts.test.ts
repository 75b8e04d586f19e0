import { expect, it } from "vitest"
import { readPart, writePart } from "@/lib/specParts"

const SHORT = "environment: Pendulum-v1 # a pendulum\nalgorithm: td3\npopulation: 8\nbudget: 1M\n"

it("reads names in the short and in the long form", () => {
  expect([readPart(SHORT, "algorithm"), readPart(SHORT, "method")]).toEqual(["td3", ""])
  const long =
    "algorithm: {name: sac, discount: 0.9}\npopulation:\n  size: 4\n  method: {name: pb2, interval: 2k}\n"
  expect([readPart(long, "algorithm"), readPart(long, "method")]).toEqual(["sac", "pb2"])
})

it("replaces a part with its fields and keeps the rest of the text", () => {
  const long = "# mine\nalgorithm:\n  name: sac\n  discount: 0.9\nbudget: 1M\n"
  expect(writePart(long, "algorithm", "td3")).toBe("# mine\nalgorithm: td3\nbudget: 1M\n")
  expect(writePart(SHORT, "method", "mf_pbt")).toBe(
    "environment: Pendulum-v1 # a pendulum\nalgorithm: td3\npopulation:\n  size: 8\n  method: mf_pbt\nbudget: 1M\n",
  )
  expect(writePart(SHORT, "algorithm", "td3")).toBe(SHORT)
})

it("leaves groups, studies and what is no YAML alone", () => {
  for (const text of ["kind: group\nbase: {algorithm: td3}\n", "kind: runtime_study\n", "a: [", ""]) {
    expect(readPart(text, "algorithm")).toBeNull()
    expect(writePart(text, "algorithm", "sac")).toBe(text)
  }
})
