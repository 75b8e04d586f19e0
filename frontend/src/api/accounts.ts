/** Queries about people, and who one is. Services without accounts have one local user, who may do everything. */

import "@/api/errors"
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import {
  getMe,
  listAuditRecords,
  listInvitations,
  listMembers,
  listPeople,
  listProjects,
  listSignIns,
  listTokens,
  readLink,
} from "@/api/generated/sdk.gen"
import type { LinkPurpose } from "@/api/generated/types.gen"
import { collect } from "@/api/queries"

export type {
  AuditRecord,
  Invitation,
  Me,
  Member,
  Person,
  Project,
  SignIn,
  Token,
} from "@/api/generated/types.gen"
export { LinkPurpose, Role, Scope } from "@/api/generated/types.gen"

const ONCE = { throwOnError: true } as const
const LIMIT = 500

/** Asked again now and then, so that a page that stands open notices when its sign-in has ended. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await getMe({ ...ONCE, signal })).data,
  staleTime: 30_000,
  refetchInterval: ({ state }) => (state.data?.has_accounts ? 60_000 : false),
})

export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listPeople({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
})

export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: ({ signal }) =>
    collect(
      async (after) => (await listInvitations({ ...ONCE, signal, query: { limit: LIMIT, after } })).data,
    ),
})

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listProjects({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
})

export function membersQuery(id: number) {
  return queryOptions({
    queryKey: ["projects", id, "members"],
    queryFn: ({ signal }) =>
      collect(
        async (after) =>
          (await listMembers({ ...ONCE, signal, path: { id }, query: { limit: LIMIT, after } })).data,
      ),
  })
}

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listTokens({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
})

export const signInsQuery = queryOptions({
  queryKey: ["sign-ins"],
  queryFn: ({ signal }) =>
    collect(async (after) => (await listSignIns({ ...ONCE, signal, query: { limit: LIMIT, after } })).data),
})

/** The code is sent in the body: an address ends up in logs. */
export function linkQuery(purpose: LinkPurpose, code: string) {
  return queryOptions({
    queryKey: ["links", purpose, code],
    queryFn: async ({ signal }) => (await readLink({ ...ONCE, signal, body: { purpose, code } })).data,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: code !== "",
  })
}

export interface AuditWish {
  actor?: string
  action?: string
  project?: number
  /** Days in the browser's time zone, both included. */
  since?: string
  until?: string
}

/** What a wish is to the service, for which a day ends where the next one begins. */
export function auditParameters({ since, until, ...rest }: AuditWish) {
  const day = (text: string | undefined, later: number) => {
    if (!text) return undefined
    const date = new Date(`${text}T00:00`)
    date.setDate(date.getDate() + later)
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
  }
  return { ...rest, since: day(since, 0), until: day(until, 1) }
}

export function auditQuery(wish: AuditWish) {
  return infiniteQueryOptions({
    queryKey: ["audit", wish],
    queryFn: async ({ signal, pageParam: after }) =>
      (await listAuditRecords({ ...ONCE, signal, query: { ...auditParameters(wish), limit: 100, after } }))
        .data,
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
}
