/** Workers in words. */

import type { Worker } from "@/api/types"

const SERVING: readonly string[] = ["idle", "busy"]

/** Those that need someone first, then those that serve, then those that are gone. */
const URGENCY: readonly string[] = ["quarantined", "draining", "busy", "idle", "lost"]

export function inOrder(workers: readonly Worker[]): Worker[] {
  return [...workers].sort(
    (left, right) =>
      URGENCY.indexOf(left.state) - URGENCY.indexOf(right.state) || left.name.localeCompare(right.name),
  )
}

export function summarise(workers: readonly Worker[]): string {
  const alive = workers.filter(({ state }) => state !== "lost").length
  const slots = workers.filter(({ state }) => SERVING.includes(state)).flatMap((worker) => worker.slots)
  const free = slots.filter(({ is_free }) => is_free).length
  const differing = workers.filter(({ differing_versions: found }) => Object.keys(found).length > 0).length
  return [
    `${alive} of ${workers.length} connected`,
    slots.length > 0 && `${free} of ${slots.length} slots free`,
    differing > 0 && `${differing} with other versions than the service`,
  ]
    .filter(Boolean)
    .join(", ")
}

export function averageLoad(busy: readonly number[]): number {
  return busy.length === 0 ? 0 : busy.reduce((sum, share) => sum + share, 0) / busy.length
}

export type Operation = "drain" | "drainNow" | "undrain" | "release" | "revoke"

/** What its operator can do with a worker in this state. */
export function operationsOf({ state, draining_since, quarantined_at }: Worker): Operation[] {
  if (state === "lost") return ["revoke"]
  const found: Operation[] = quarantined_at === null ? [] : ["release"]
  if (draining_since === null) found.push("drain", "drainNow")
  else found.push("undrain", ...(state === "draining" ? (["drainNow"] as const) : []))
  return [...found, "revoke"]
}
