/** Opens the whole application at an address, against an API that answers from a table. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { render } from "@testing-library/react"
import { vi } from "vitest"
import type { Me } from "@/api/accounts"
import { createAppRouter } from "@/routes/router"

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

/** An answer's body, or a function of the call; `reply` gives it another status, `NEVER` lets the asker wait. */
export type Answer = unknown | ((call: Call) => unknown)
export type Api = Record<string, Answer>

export const NEVER = Symbol("never")

class Reply {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {}
}

export function reply(status: number, body: unknown): Reply {
  return new Reply(status, body)
}

export function refusal(status: number, detail: string, remedy: string | null = null): Reply {
  return new Reply(status, { detail, remedy, problems: [] })
}

/** Of a service without accounts; a test of accounts overrides it. */
export const LOCAL: Me = {
  id: 1,
  name: "local",
  email: "local@localhost",
  is_admin: true,
  has_accounts: false,
  projects: [{ id: 1, name: "default", role: "admin" }],
}

const HEALTHY: Api = {
  "GET /api/v1/health": { status: "ok", database: "ok", redis: "ok", version: "0" },
  "GET /api/v1/accounts/me": LOCAL,
}

export function stubApi(api: Api): Call[] {
  const calls: Call[] = []
  const table: Api = { ...HEALTHY, ...api }
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url)
    const text = await request.text()
    const call = {
      method: request.method,
      path: pathname,
      query: searchParams,
      body: text ? JSON.parse(text) : null,
    }
    calls.push(call)
    const answer = table[`${call.method} ${call.path}`]
    if (answer === undefined)
      return Response.json({ detail: `nothing at ${call.path}`, remedy: null, problems: [] }, { status: 404 })
    const given = typeof answer === "function" ? (answer as (call: Call) => unknown)(call) : answer
    if (given === NEVER) return new Promise<Response>(() => undefined)
    if (given instanceof Error) throw given
    if (given instanceof Reply) return Response.json(given.body, { status: given.status })
    return Response.json(given)
  })
  return calls
}

export function renderAt(address: string, api: Api) {
  const calls = stubApi(api)
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createAppRouter(queryClient, address)
  const view = render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { ...view, calls, router, queryClient }
}
