/** Light or dark: the system's wish, unless the user chose one. The choice is kept. */

import { useSyncExternalStore } from "react"
import type { Theme } from "@/lib/colour"
import { readPreference, writePreference } from "@/lib/storage"

export type ThemeChoice = Theme | "system"

const listeners = new Set<() => void>()
const darkSystem = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null

function isChoice(value: unknown): value is ThemeChoice {
  return value === "light" || value === "dark" || value === "system"
}

let choice: ThemeChoice = readPreference("theme", "system", isChoice)

function resolve(): Theme {
  if (choice !== "system") return choice
  return darkSystem?.matches ? "dark" : "light"
}

function apply() {
  document.documentElement.dataset.theme = resolve()
  for (const listener of listeners) listener()
}

/** To be called once before the first drawing. */
export function startTheme(): void {
  darkSystem?.addEventListener("change", apply)
  apply()
}

export function chooseTheme(next: ThemeChoice): void {
  choice = next
  writePreference("theme", next)
  apply()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, resolve)
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice)
}
