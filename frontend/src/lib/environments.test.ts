import { expect, it } from "vitest"
import type { Environment } from "@/api/types"
import { describeSpace, matchEnvironments, suitesOf } from "@/lib/environments"

const BOX = { kind: "box", shape: [17], dtype: "float64", n: null } as const

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
  expect(describeSpace({ kind: "box", shape: [84, 84, 4], dtype: "uint8", n: null })).toBe("84×84×4 uint8")
  expect(describeSpace({ kind: "box", shape: [], dtype: "float32", n: null })).toBe("1 float32")
  expect(describeSpace({ kind: "discrete", shape: [], dtype: "int32", n: 6 })).toBe("6 discrete values")
  expect(describeSpace({ kind: "other", shape: [], dtype: "", n: null })).toBe("a composite space")
})
