/** What somebody may do, so that a page says beforehand what the service would refuse. The service decides. */

import type { Me, Role } from "@/api/accounts"

const ORDER: readonly Role[] = ["viewer", "member", "admin"]

interface Owned {
  owner: { id: number; name: string }
  project: { id: number; name: string }
}

function hasRole(me: Me, project: number, role: Role): boolean {
  const held = me.projects.find(({ id }) => id === project)?.role
  return me.is_admin || (held !== undefined && ORDER.indexOf(held) >= ORDER.indexOf(role))
}

export function isProjectAdmin(me: Me | undefined, project: number): boolean {
  return me !== undefined && hasRole(me, project, "admin")
}

/** Why this person may not stop, delete or otherwise change something; null when they may, or when it is not known. */
export function whyNotChange(me: Me | undefined, { owner, project }: Owned): string | null {
  if (!me) return null
  if (owner.id === me.id) {
    return hasRole(me, project.id, "member")
      ? null
      : `You are only a viewer of project ${project.name}. Ask an admin of the project for the role member.`
  }
  return hasRole(me, project.id, "admin")
    ? null
    : `This belongs to ${owner.name}. They and admins of project ${project.name} can change it.`
}

/** Why this person may not start anything in the chosen project, or in any; null when they may. */
export function whyNotSubmit(me: Me | undefined, chosen: number | null): string | null {
  if (!me || me.is_admin) return null
  const project = me.projects.find(({ id }) => id === chosen)
  if (project)
    return hasRole(me, project.id, "member")
      ? null
      : `You are only a viewer of project ${project.name}. Ask an admin of the project for the role member, or choose another project.`
  if (me.projects.some(({ id }) => hasRole(me, id, "member"))) return null
  return me.projects.length === 0
    ? "You belong to no project yet. Ask an admin to add you to one."
    : "You are only a viewer of your projects. Ask an admin of one of them for the role member."
}

/** The project that something new is for: the chosen one, else what the service would take, the first as a member. */
export function projectOfNew(me: Me | undefined, chosen: number | null): string | undefined {
  if (!me?.has_accounts) return undefined
  const own = me.projects.find(({ id }) => id === chosen)
  return (own ?? me.projects.find(({ role }) => role !== "viewer"))?.name
}

export const ADMIN_ONLY = "Only admins of the service may do that. Ask one of them."
