/** The queue in words, and what may be asked of it. */

import type { Queue, QueueJob, Share } from "@/api/types"
import type { QueueSearch } from "@/lib/search"

/** Waiting jobs that are listed at first, and with each wish for more. */
export const PAGE = 100

/** More the service does not list at once. */
export const MOST_SHOWN = 1000

export function isFiltered({ project, owner, priority }: QueueSearch): boolean {
  return project !== undefined || owner !== undefined || priority !== undefined
}

export function summarise({ slots, free_slots, waiting_total }: Queue): string {
  if (slots === 0) return "No worker takes jobs at the moment"
  const waiting = waiting_total === 0 ? "nothing waits" : `${waiting_total.toLocaleString("en-US")} wait`
  return `${slots - free_slots} of ${slots} ${slots === 1 ? "device" : "devices"} in use, ${waiting}`
}

const UNNAMED: Record<QueueJob["kind"], string> = {
  run: "A run",
  study: "A study",
  evaluation: "An evaluation",
  environment_check: "A check of an environment",
}

export function describeKind(kind: QueueJob["kind"]): string {
  return kind.replaceAll("_", " ")
}

/** Whose job it is about, for those who may not see more. */
export function jobName({ name, kind }: QueueJob): string {
  return name ?? UNNAMED[kind]
}

export interface Choice {
  id: number
  name: string
}

function byName(left: Choice, right: Choice): number {
  return left.name.localeCompare(right.name)
}

/** Projects and people that use the queue, each once, by name. */
export function choicesOf(shares: readonly Share[]): { projects: Choice[]; people: Choice[] } {
  const projects = new Map<number, string>()
  const people = new Map<number, string>()
  for (const { project_id, project, user_id, user } of shares) {
    projects.set(project_id, project)
    if (user_id !== null && user !== null) people.set(user_id, user)
  }
  const list = (found: Map<number, string>) => [...found].map(([id, name]) => ({ id, name })).sort(byName)
  return { projects: list(projects), people: list(people) }
}

export interface ProjectShares {
  whole: Share
  people: Share[]
}

/** Each project with its people, those who used most first. */
export function groupShares(shares: readonly Share[]): ProjectShares[] {
  const most = (left: Share, right: Share) => right.used_share - left.used_share
  return shares
    .filter(({ user_id }) => user_id === null)
    .sort(most)
    .map((whole) => ({
      whole,
      people: shares
        .filter(({ project_id, user_id }) => project_id === whole.project_id && user_id !== null)
        .sort(most),
    }))
}
