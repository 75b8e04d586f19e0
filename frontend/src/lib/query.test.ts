import { expect, it } from "vitest"
import { both, completionsFor, quoted, spotAt } from "@/lib/query"

const FIELDS = [
  { name: "algorithm", kind: "text", meaning: "What trains its members" },
  { name: "final", kind: "number", meaning: "Return" },
  { name: "spec.algorithm.batch_size", kind: "spec", meaning: "A value of the spec" },
]

it("knows what may come next", () => {
  const expected: Record<string, [string, string, string | null]> = {
    "": ["field", "", null],
    alg: ["field", "alg", null],
    "algorithm ": ["operator", "", "algorithm"],
    "algorithm =": ["value", "", "algorithm"],
    "algorithm = t": ["value", "t", "algorithm"],
    "algorithm = td3 ": ["joint", "", null],
    "algorithm = td3 and ": ["field", "", null],
    "not (fi": ["field", "fi", null],
    "tag in (a, ": ["value", "", "tag"],
    "tag in (a) ": ["joint", "", null],
    'name = "two wo': ["value", '"two wo', "name"],
  }
  for (const [text, [expects, word, field]] of Object.entries(expected))
    expect(spotAt(text, text.length), text).toEqual({
      expects,
      word,
      field,
      start: text.length - word.length,
    })
})

it("offers what fits, what begins so first", () => {
  const at = (text: string) => completionsFor(spotAt(text, text.length), FIELDS, ["td3", "two words", 5])
  expect(at("alg").map(({ label }) => label)).toEqual(["algorithm", "spec.algorithm.batch_size"])
  expect(at("final >").map(({ text }) => text)).toEqual(["td3 ", '"two words" ', "5 "])
  expect(at("algorithm = tw").map(({ text }) => text)).toEqual(['"two words" '])
  expect(at("algorithm ").map(({ label }) => label)).toContain("~")
  expect(at("a = b a").map(({ label }) => label)).toEqual(["and"])
})

it("writes values and joins queries", () => {
  expect(quoted('a "b"')).toBe('"a \\"b\\""')
  expect(both("", "a = b")).toBe("a = b")
  expect(both("a or b", "c = d")).toBe("(a or b) and c = d")
})
