/** What the form shows and changes: a spec's text, and what the service says about it. */

import type { Document } from "yaml"
import type { Problem } from "@/api/types"
import { type Path, readText, readValue, type ShortForms } from "@/lib/specText"

export interface SpecDraft {
  document: Document
  shortForms: ShortForms
  /** The complete spec, as far as the text was valid when last asked. */
  resolved: Record<string, unknown> | null
  problems: readonly Problem[]
  /** Undefined leaves the field out. */
  write: (path: Path, value: unknown) => void
}

export function writtenText({ document, shortForms }: SpecDraft, path: Path): string | undefined {
  return readText(document, path, shortForms)
}

export function writtenValue({ document, shortForms }: SpecDraft, path: Path): unknown {
  return readValue(document, path, shortForms)
}

/** What will be used where the text leaves the field out. */
export function resolvedValue({ resolved }: SpecDraft, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    resolved,
  )
}

/** The name that counts now: the written one, else the one that was filled in. */
export function currentName(draft: SpecDraft, path: Path): string {
  const name = writtenText(draft, path) ?? resolvedValue(draft, path)
  return typeof name === "string" ? name : ""
}

/** What is wrong with this very field. */
export function problemOf({ problems }: SpecDraft, path: Path): string | null {
  const found = problems.find((problem) => problem.path === path.join("."))
  return found ? `${found.message}: ${found.remedy}` : null
}

/** Whether something is wrong in a section. */
export function hasProblem({ problems }: SpecDraft, path: Path): boolean {
  const prefix = path.join(".")
  return problems.some((problem) => problem.path === prefix || problem.path.startsWith(`${prefix}.`))
}

/** A value as one line of text; empty for what is not there. */
export function spell(value: unknown): string {
  if (value === undefined || value === null) return ""
  if (Array.isArray(value)) return value.map(spell).join(", ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
