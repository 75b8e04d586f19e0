/** The project that the pages are about, for those who have several. None means all of them. The choice is kept. */

import { useSyncExternalStore } from "react"
import { readPreference, writePreference } from "@/lib/storage"

const listeners = new Set<() => void>()

function isId(value: unknown): value is number | null {
  return value === null || Number.isSafeInteger(value)
}

let chosen: number | null = readPreference<number | null>("project", null, isId)

export function chosenProject(): number | null {
  return chosen
}

export function chooseProject(id: number | null): void {
  chosen = id
  writePreference("project", id)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useChosenProject(): number | null {
  return useSyncExternalStore(subscribe, chosenProject)
}
