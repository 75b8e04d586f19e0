import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { readSpec, readText, readValue, writeField } from "@/lib/specText"

const SHORT = {
  environment: "id",
  algorithm: "name",
  population: "size",
  "population.method": "name",
  budget: "env_steps",
  checkpoint: "interval",
  "checkpoint.keep": "last",
}
const TEXT = `# ours
description: >-
  Two lines that
  are folded
environment: Pendulum-v1 # a pendulum
algorithm:
  name: td3 # not sac
  policy_learning_rate: {log_uniform: [1e-4, 0.01]}
  network:
    hidden: [64, 64] # small
population: 8
# how long
budget: 12k
`

function edit(path: string, value: unknown, text = TEXT): string {
  return writeField(text, path.split("."), value, SHORT)
}

function written(path: string, text = TEXT): string | undefined {
  return readText(readSpec(text)!, path.split("."), SHORT)
}

describe("reading", () => {
  it("gives numbers as they were typed, and looks into short forms", () => {
    expect(written("algorithm.policy_learning_rate")).toBe(
      "{log_uniform: [1e-4, 0.01]}".replace("1e-4", "0.0001"),
    )
    expect(written("budget.env_steps")).toBe("12k")
    expect(written("budget.env_steps", "budget: 1.\n")).toBe("1.")
    expect(written("population.size")).toBe("8")
    expect(written("population.method.name")).toBeUndefined()
    expect(readValue(readSpec(TEXT)!, ["algorithm", "network", "hidden"], SHORT)).toEqual([64, 64])
  })

  it.each(["kind: group\nbase: {}\n", "kind: sweep\n", "a: [", "- 1\n"])(
    "has no single experiment in %j",
    (text) => expect(readSpec(text)).toBeNull(),
  )
})

describe("writing", () => {
  it("changes one value and nothing else", () => {
    expect(edit("algorithm.name", "sac")).toBe(TEXT.replace("name: td3", "name: sac"))
    expect(edit("budget.env_steps", "1M")).toBe(TEXT.replace("budget: 12k", "budget: {env_steps: 1M}"))
    expect(edit("algorithm.network.hidden", [32])).toBe(TEXT.replace("[64, 64]", "[32]"))
    expect(edit("algorithm.policy_learning_rate", "3e-4")).toBe(
      TEXT.replace("{log_uniform: [1e-4, 0.01]}", "3e-4"),
    )
  })

  it("adds a field to a section, in its style", () => {
    expect(edit("algorithm.discount", { uniform: [0.9, 1] })).toBe(
      TEXT.replace("# small\n", "# small\n  discount: {uniform: [0.9, 1]}\n"),
    )
    expect(edit("population.method.name", "pbt")).toBe(
      TEXT.replace("population: 8", "population: {size: 8, method: {name: pbt}}"),
    )
    expect(edit("replay.capacity", "20k")).toBe(`${TEXT}replay: {capacity: 20k}\n`)
    expect(edit("checkpoint.keep.best", false, "checkpoint: {keep: 3}\n")).toBe(
      "checkpoint: {keep: {last: 3, best: false}}\n",
    )
    expect(edit("seed", 1, "")).toBe("seed: 1\n")
  })

  it("removes a field with its line, or within its line", () => {
    expect(edit("algorithm.policy_learning_rate", undefined)).toBe(
      TEXT.replace("  policy_learning_rate: {log_uniform: [1e-4, 0.01]}\n", ""),
    )
    expect(edit("a.b", undefined, "a: {b: 1, c: 2} # x\n")).toBe("a: {c: 2} # x\n")
    expect(edit("a.c", undefined, "a: {b: 1, c: 2} # x\n")).toBe("a: {b: 1} # x\n")
    expect(edit("seed", undefined)).toBe(TEXT)
  })

  it("replaces a section in lines of its own by a value", () => {
    expect(edit("algorithm.network", "big")).toBe(
      TEXT.replace("network:\n    hidden: [64, 64] # small", "network: big"),
    )
  })

  it("keeps comments where only YAML's own writer can make the change", () => {
    const text = "algorithm: # why\n  # a first line\n  name: td3\nseed: 1 # kept\n"
    const changed = edit("algorithm", { name: "sac" }, text)
    expect(parse(changed)).toEqual({ algorithm: { name: "sac" }, seed: 1 })
    expect(changed).toContain("seed: 1 # kept")
  })

  it("writes numbers as they were typed, and quotes what YAML would read otherwise", () => {
    expect(edit("a.b", ["1e-4", "0.010"], "seed: 1\n")).toBe("seed: 1\na: {b: [1e-4, 0.010]}\n")
    for (const typed of ["[", "a: b", "# no", "'", "x, y", "{"])
      expect(parse(edit("description", typed)).description).toBe(typed)
  })

  it("leaves alone what it cannot read", () => {
    expect(edit("seed", 1, "a: [")).toBe("a: [")
  })
})
