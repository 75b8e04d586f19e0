import { expect, it } from "vitest"
import { fieldsOf, labelOf, type Schema } from "@/lib/specSchema"
import { SPEC_SCHEMA } from "@/testing/specSchema"

const root: Schema = SPEC_SCHEMA.definition

it("finds the control of each field, and asks for no constant", () => {
  expect(fieldsOf(root, root, []).map(({ path, control }) => [path.join("."), control.kind])).toEqual([
    ["name", "text"],
    ["algorithm", "variant"],
    ["population", "section"],
    ["replay", "section"],
    ["videos", "section"],
    ["founders", "other"],
  ])
  const inner = fieldsOf(root, root.$defs!.TD3Spec!, ["algorithm"])
  expect(inner.map(({ path, control }) => [path.join("."), control.kind])).toEqual([
    ["algorithm.batch_size", "number"],
    ["algorithm.network", "section"],
    ["algorithm.discount", "tunable"],
  ])
})

it("says what a field means, in one line", () => {
  const [capacity] = fieldsOf(root, { $ref: "#/$defs/ReplaySpec" }, ["replay"])
  expect(capacity!.description).toBe("Transitions in a ring.")
  expect(labelOf("envs_per_member")).toBe("Envs per member")
})

it("offers yes and no for a switch", () => {
  expect(fieldsOf(root, root.$defs!.VideosSpec!, ["videos"])[1]!.control).toEqual({
    kind: "choice",
    options: ["true", "false"],
  })
})
