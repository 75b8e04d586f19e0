import { screen, waitFor } from "@testing-library/react"
import userEvent from "@testing-library/user-event"
import { expect, it } from "vitest"
import { LOCAL, NEVER, refusal, renderAt } from "@/testing/renderAt"
import { pageOf } from "@/testing/samples"

const ADA = { ...LOCAL, id: 2, name: "Ada", has_accounts: true }
const NOBODY = { "GET /api/v1/accounts/me": refusal(401, "Nobody is signed in.") }

it("leads to the sign-in and back to the same address", async () => {
  const { router, calls } = renderAt("/workers?x=1", {
    ...NOBODY,
    "GET /api/v1/workers": pageOf([]),
    "POST /api/v1/accounts/sign-in": ADA,
  })
  const email = await screen.findByLabelText("E-mail address")
  expect(router.state.location.pathname).toBe("/sign-in")
  expect(calls.some(({ path }) => path === "/api/v1/workers")).toBe(false)
  expect(
    [email, screen.getByLabelText("Password")].map((field) => field.getAttribute("autocomplete")),
  ).toEqual(["username", "current-password"])
  await userEvent.type(email, "ada@example.org")
  await userEvent.type(screen.getByLabelText("Password"), "secret secret{Enter}")
  await waitFor(() => expect(router.state.location.href).toBe("/workers?x=1"))
  expect(await screen.findByRole("button", { name: "Account of Ada" })).toBeTruthy()
})

it("announces a refusal and forgets the wrong password", async () => {
  renderAt("/sign-in", {
    ...NOBODY,
    "POST /api/v1/accounts/sign-in": refusal(401, "They do not belong together.", "Correct them."),
  })
  await userEvent.type(await screen.findByLabelText("E-mail address"), "ada@example.org")
  await userEvent.type(screen.getByLabelText("Password"), "wrong{Enter}")
  const alert = await screen.findByRole("alert")
  expect(alert.textContent).toMatch("Correct them.")
  expect(document.activeElement).toBe(alert)
  expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("")
})

it("leaves a page whose session has ended, and says so", async () => {
  let ended = false
  const { router, queryClient } = renderAt("/workers", {
    "GET /api/v1/accounts/me": () => (ended ? refusal(401, "This sign-in has ended.") : ADA),
    "GET /api/v1/workers": () => (ended ? refusal(401, "This sign-in has ended.") : pageOf([])),
  })
  await screen.findByText("No worker has connected yet")
  ended = true
  await queryClient.invalidateQueries({ queryKey: ["workers"] })
  expect(await screen.findByText(/Your sign-in has ended/)).toBeTruthy()
  expect(router.state.location.search).toMatchObject({ next: "/workers" })
})

it("shows for whom an invitation is, keeps its code out of addresses, and signs in", async () => {
  const { calls, router } = renderAt("/invitation#code=abc", {
    ...NOBODY,
    "POST /api/v1/accounts/links/read": {
      email: "bob@example.org",
      project: "robots",
      role: "member",
      expires_at: "2026-01-01T00:00:00Z",
    },
    "POST /api/v1/accounts/invitations/accept": { ...ADA, name: "Bob" },
    "GET /api/v1/experiments": NEVER,
  })
  expect(await screen.findByText("You are invited to the project robots as a member.")).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>("E-mail address").value).toBe("bob@example.org")
  const password = screen.getByLabelText("New password")
  expect(password.getAttribute("autocomplete")).toBe("new-password")
  await userEvent.type(screen.getByLabelText("Your name"), "Bob")
  await userEvent.type(password, "correct horse battery staple{Enter}")
  await screen.findByRole("button", { name: "Account of Bob" })
  expect(calls.find(({ path }) => path.endsWith("/accept"))?.body).toEqual({
    code: "abc",
    name: "Bob",
    password: "correct horse battery staple",
  })
  expect(calls.some(({ query }) => query.toString().includes("abc"))).toBe(false)
  expect(router.state.location.href).toBe("/")
})

it("says what to do with a link that is used up or incomplete", async () => {
  const used = renderAt("/reset-password#code=abc", {
    ...NOBODY,
    "POST /api/v1/accounts/links/read": refusal(403, "The code is wrong.", "Ask an admin for a new link."),
  })
  expect(await screen.findByText("This link was used already, or has expired")).toBeTruthy()
  expect(screen.getByText("Ask an admin for a new link.")).toBeTruthy()
  used.unmount()
  renderAt("/first-admin", NOBODY)
  expect(await screen.findByText("The link is incomplete")).toBeTruthy()
})
