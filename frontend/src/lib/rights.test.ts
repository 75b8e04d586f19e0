import { expect, it } from "vitest"
import type { Me, Role } from "@/api/accounts"
import { projectOfNew, whyNotChange, whyNotSubmit } from "@/lib/rights"

function me(role: Role | null, is_admin = false): Me {
  const projects = role ? [{ id: 2, name: "alpha", role }] : []
  return { id: 7, name: "Ada", email: "ada@example.org", is_admin, has_accounts: true, projects }
}

const mine = { owner: { id: 7, name: "Ada" }, project: { id: 2, name: "alpha" } }
const theirs = { owner: { id: 8, name: "Bob" }, project: { id: 2, name: "alpha" } }

it("lets members change their own, admins of the project and of the service everything", () => {
  expect(whyNotChange(me("viewer"), mine)).toMatch("viewer of project alpha")
  expect(whyNotChange(me("member"), mine)).toBeNull()
  expect(whyNotChange(me("member"), theirs)).toMatch("belongs to Bob")
  expect(whyNotChange(me("admin"), theirs)).toBeNull()
  expect(whyNotChange(me(null, true), theirs)).toBeNull()
  expect(whyNotChange(undefined, theirs)).toBeNull()
})

it("says who may submit, and where it goes", () => {
  expect(whyNotSubmit(me("viewer"), null)).toMatch("only a viewer of your projects")
  expect(whyNotSubmit(me("viewer"), 2)).toMatch("viewer of project alpha")
  expect(whyNotSubmit(me(null), null)).toMatch("no project")
  expect(whyNotSubmit(me("member"), 99)).toBeNull()
  const both = {
    ...me("member"),
    projects: [{ id: 1, name: "old", role: "viewer" as const }, ...me("member").projects],
  }
  expect(projectOfNew(both, null)).toBe("alpha")
  expect(projectOfNew(both, 1)).toBe("old")
})
