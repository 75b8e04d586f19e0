import { expect, it } from "vitest"
import { codeOf, safeAddress } from "@/lib/accountPages"

it("leads back within this site only", () => {
  expect(safeAddress("/experiments/3?tab=logs#x")).toBe("/experiments/3?tab=logs#x")
  for (const given of [
    undefined,
    "",
    "https://evil.example",
    "//evil.example/a",
    "/\\evil.example",
    "/sign-in?next=/",
  ])
    expect(safeAddress(given)).toBe("/")
})

it("finds the code behind the hash", () => {
  expect(codeOf("#code=a-b_c")).toBe("a-b_c")
  expect(codeOf("code=abc")).toBe("abc")
  expect(codeOf("")).toBe("")
})
