import { expect, it } from "vitest"
import type { Environment, Space } from "@/api/types"
import { describeSpace, matchEnvironments, suitesOf } from "@/lib/environments"

const BOX: Omit<Space, "shape"> = { kind: "box", dtype: "float64", n: null, counts: [], parts: [] }
const COMPOSITE: Space = {
  kind: "composite",
  shape: [5],
  dtype: "float32",
  n: null,
  counts: [],
  parts: [
    { path: ["place"], kind: "box", shape: [2], dtype: "float32", counts: [], starts: [] },
    { path: ["goal"], kind: "discrete", shape: [], dtype: "int64", counts: [3], starts: [0] },
  ],
}

function entry(suite: string, id: string, family = "mujoco"): Environment {
  return {
    suite,
    id,
    family,
    observation: { ...BOX, shape: [17] },
    action: { ...BOX, shape: [6] },
    max_episode_steps: 1000,
  }
}

const ALL = [
  entry("envpool", "HalfCheetah-v5"),
  entry("envpool", "CheetahRun-v1", "dm_control"),
  entry("mjx", "Ant"),
]
const ids = (suite: string, text: string) => matchEnvironments(ALL, suite, text).map(({ id }) => id)

it("finds every word in id or family, without case, beginnings first", () => {
  expect(ids("", "")).toEqual(["HalfCheetah-v5", "CheetahRun-v1", "Ant"])
  expect(ids("", "cheetah")).toEqual(["CheetahRun-v1", "HalfCheetah-v5"])
  expect(ids("", "CHEETAH dm_")).toEqual(["CheetahRun-v1"])
  expect(ids("mjx", "cheetah")).toEqual([])
})

it("counts suites", () =>
  expect(suitesOf(ALL)).toEqual([
    { name: "envpool", count: 2 },
    { name: "mjx", count: 1 },
  ]))

it("puts spaces into words", () => {
  expect(
    describeSpace({ kind: "box", shape: [84, 84, 4], dtype: "uint8", n: null, counts: [], parts: [] }),
  ).toBe("84×84×4 uint8")
  expect(describeSpace({ kind: "box", shape: [], dtype: "float32", n: null, counts: [], parts: [] })).toBe(
    "1 float32",
  )
  expect(describeSpace({ kind: "discrete", shape: [], dtype: "int32", n: 6, counts: [], parts: [] })).toBe(
    "6 discrete values",
  )
  const choices = {
    kind: "multi_discrete",
    shape: [2],
    dtype: "int32",
    n: null,
    counts: [3, 2],
    parts: [],
  } as Space
  expect(describeSpace(choices)).toBe("2 choices of 3, 2 values")
  expect(describeSpace(COMPOSITE)).toBe("2 parts, 5 numbers")
  expect(describeSpace({ kind: "other", shape: [], dtype: "", n: null, counts: [], parts: [] })).toBe(
    "a space without a fixed size or without bounds",
  )
})
