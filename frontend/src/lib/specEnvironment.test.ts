import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { readEnvironment, writeEnvironment } from "@/lib/specEnvironment"

const WALKER = { suite: "envpool", id: "WalkerRun-v1" }

describe("reading", () => {
  it("finds suite and id", () =>
    expect(readEnvironment("environment: {suite: gymnasium, id: Pendulum-v1}\n")).toEqual({
      suite: "gymnasium",
      id: "Pendulum-v1",
    }))
  it("finds the id of the short form", () =>
    expect(readEnvironment("environment: HalfCheetah-v5 # short\n")).toEqual({ id: "HalfCheetah-v5" }))
  it("is empty where nothing is said", () => expect(readEnvironment("version: 1\n")).toEqual({}))
  it.each(["environment: {suite", "kind: group\nbase: {}\n", "- 1\n"])("has no answer for %j", (text) =>
    expect(readEnvironment(text)).toBeNull(),
  )
})

describe("writing", () => {
  it("replaces the two words and nothing else", () => {
    const before =
      "# mine\nversion: 1\nenvironment: {suite: gymnasium,   id: 'Pendulum-v1'} # why\ndescription: >-\n  long\n  text\n"
    expect(writeEnvironment(before, WALKER, true)).toBe(
      "# mine\nversion: 1\nenvironment: {suite: envpool,   id: WalkerRun-v1} # why\ndescription: >-\n  long\n  text\n",
    )
  })

  it("works in block style and in any order", () => {
    const before =
      "environment:\n  id: Pendulum-v1 # old\n  envs_per_member: 2\n  suite: gymnasium\nseed: 1\n"
    expect(writeEnvironment(before, WALKER, true)).toBe(
      "environment:\n  id: WalkerRun-v1 # old\n  envs_per_member: 2\n  suite: envpool\nseed: 1\n",
    )
  })

  it("keeps the short form where the id belongs to one suite", () => {
    const before = "environment: HalfCheetah-v5 # why\nalgorithm: td3\npopulation: 8\nbudget: 1_000_000\n"
    expect(writeEnvironment(before, WALKER, true)).toBe(before.replace("HalfCheetah-v5", "WalkerRun-v1"))
    expect(writeEnvironment(before, WALKER, false)).toBe(
      before.replace("HalfCheetah-v5", "{suite: envpool, id: WalkerRun-v1}"),
    )
  })

  it.each(["", "version: 1\n", "environment: {suite: gymnasium}\n", "environment:\n", "environment: 3\n"])(
    "adds what is missing in %j",
    (before) => expect(parse(writeEnvironment(before, WALKER, true)).environment).toMatchObject(WALKER),
  )

  it.each(["environment: {suite", "kind: group\nbase: {environment: {suite: envpool}}\n"])(
    "leaves %j alone",
    (before) => expect(writeEnvironment(before, WALKER, true)).toBe(before),
  )
})
