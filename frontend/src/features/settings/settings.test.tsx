import { screen, waitFor, within } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import type { Me } from "@/api/accounts"
import { type Api, type Call, refusal, renderAt } from "@/testing/renderAt"
import { pageOf } from "@/testing/samples"

const ADA: Me = {
  id: 2,
  name: "Ada Lovelace",
  email: "ada@example.org",
  is_admin: true,
  has_accounts: true,
  projects: [{ id: 1, name: "default", role: "admin" }],
}
const BOB: Me = { ...ADA, id: 3, name: "Bob", email: "bob@example.org", is_admin: false }
const AT = "2026-01-01T00:00:00Z"

function as(me: Me, api: Api = {}): Api {
  const person = {
    id: 2,
    name: "Ada Lovelace",
    email: "ada@example.org",
    is_admin: true,
    created_at: AT,
    disabled_at: null,
  }
  const project = {
    id: 1,
    name: "default",
    created_at: AT,
    weight: 1,
    max_running: null,
    weekly_device_hours: null,
    allows_preemption: false,
    role: "admin",
  }
  return {
    "GET /api/v1/accounts/me": me,
    "GET /api/v1/accounts/people": pageOf([person]),
    "GET /api/v1/accounts/projects": pageOf([project]),
    "GET /api/v1/accounts/invitations": pageOf([]),
    "GET /api/v1/accounts/tokens": pageOf([]),
    ...api,
  }
}

it("makes a token with scopes and days, and shows its secret until one is done", async () => {
  const made = {
    id: 1,
    name: "nightly",
    scopes: ["read"],
    created_at: AT,
    expires_at: AT,
    last_used_at: null,
    secret: "phylon_s",
  }
  const { calls } = renderAt("/settings/tokens", as(ADA, { "POST /api/v1/accounts/tokens": made }))
  await userEvent.type(await screen.findByLabelText("What it is for"), "nightly")
  await userEvent.clear(screen.getByLabelText("Days until it expires"))
  await userEvent.type(screen.getByLabelText("Days until it expires"), "7")
  await userEvent.click(screen.getByRole("checkbox", { name: /^write/ }))
  await userEvent.click(screen.getByRole("button", { name: "Make a token" }))
  const shown = await screen.findByRole("region", { name: "The token nightly" })
  expect(document.activeElement).toBe(shown)
  expect(within(shown).getByText("phylon_s")).toBeTruthy()
  expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
    name: "nightly",
    days: 7,
    scopes: ["read"],
  })
  await userEvent.click(screen.getByRole("button", { name: "Done" }))
  expect(screen.queryByText("phylon_s")).toBeNull()
})

it("invites, resets and disables as an admin; others hear who could", async () => {
  const asked: Call[] = []
  const note = (answer: unknown) => (call: Call) => {
    asked.push(call)
    return answer
  }
  const first = renderAt(
    "/settings/people",
    as(ADA, {
      "POST /api/v1/accounts/invitations": refusal(
        409,
        "bob@example.org has an account already.",
        "Add them.",
      ),
      "POST /api/v1/accounts/people/2/reset-link": note({
        email: "a",
        link: "https://x/reset-password#code=c",
        expires_at: AT,
      }),
      "PATCH /api/v1/accounts/people/2": note(refusal(409, "Ada is the only admin.")),
    }),
  )
  await userEvent.type(await screen.findByLabelText("E-mail address"), "bob@example.org")
  await userEvent.click(screen.getByRole("button", { name: "Invite" }))
  const alert = await screen.findByText("bob@example.org has an account already.")
  expect(document.activeElement?.contains(alert)).toBe(true)
  await userEvent.click(screen.getByRole("button", { name: "Reset the password of Ada Lovelace" }))
  expect(await screen.findByText("https://x/reset-password#code=c")).toBeTruthy()
  await userEvent.click(screen.getByRole("button", { name: "Disable Ada Lovelace" }))
  await userEvent.click(
    within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Disable" }),
  )
  await waitFor(() => expect(asked.at(-1)?.body).toEqual({ is_disabled: true }))
  first.unmount()

  renderAt("/settings/people", as({ ...BOB, projects: [{ id: 1, name: "default", role: "member" }] }))
  const disable = await screen.findByRole("button", { name: "Disable Ada Lovelace" })
  expect(disable.getAttribute("aria-disabled")).toBe("true")
  expect(disable.title).toMatch("Only admins of the service")
  await userEvent.click(disable)
  expect(screen.queryByRole("alertdialog")).toBeNull()
  expect(screen.getByText(/Ask one of yours/)).toBeTruthy()
  expect(screen.queryByRole("link", { name: "Audit" })).toBeNull()
})

it("filters the audit log by its address", async () => {
  const record = {
    id: 9,
    at: AT,
    actor_id: 2,
    actor: "Ada",
    address: "::1",
    action: "token.create",
    target: "token 1",
    project_id: null,
    detail: { scopes: ["read"] },
  }
  const { calls, router } = renderAt(
    "/settings/audit?action=token&since=2026-01-01",
    as(ADA, { "GET /api/v1/accounts/audit": pageOf([record]) }),
  )
  expect(await screen.findByText("token.create")).toBeTruthy()
  expect(screen.getByText("scopes: read")).toBeTruthy()
  const asked = () => calls.findLast(({ path }) => path === "/api/v1/accounts/audit")!.query
  expect(asked().get("action")).toBe("token")
  expect(asked().get("since")).toBe(new Date("2026-01-01T00:00").toISOString())
  await userEvent.type(screen.getByLabelText("Who"), "ada{Enter}")
  await waitFor(() => expect(asked().get("actor")).toBe("ada"))
  expect(router.state.location.search).toMatchObject({ actor: "ada", action: "token" })
  expect(screen.getByRole("link", { name: "Export" }).getAttribute("href")).toMatch(
    "audit.ndjson?action=token&actor=ada",
  )
})

it("is not there where there are no accounts", async () => {
  renderAt("/settings/people", {})
  expect(await screen.findByText("This service has no accounts")).toBeTruthy()
  expect(screen.queryByRole("button", { name: /^Account of/ })).toBeNull()
})
