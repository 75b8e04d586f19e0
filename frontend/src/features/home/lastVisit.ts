/** When this browser was last here. A reload, or a look at another page, is the same visit. */

import { readPreference, writePreference } from "@/lib/storage"

const PAUSE_MS = 30 * 60_000
const FIRST_MS = 24 * 3600_000

interface Visits {
  /** The end of the visit before this one. */
  before: number
  /** The newest sign of this one. */
  seen: number
}

function isVisits(value: unknown): value is Visits | null {
  if (value === null) return true
  const { before, seen } = value as Partial<Visits>
  return Number.isFinite(before) && Number.isFinite(seen)
}

/** In milliseconds; a day ago for someone who was never here. */
export function lastVisit(now = Date.now()): number {
  const known = readPreference<Visits | null>("visits", null, isVisits)
  const before = known === null ? now - FIRST_MS : now - known.seen > PAUSE_MS ? known.seen : known.before
  writePreference("visits", { before, seen: now })
  return before
}
