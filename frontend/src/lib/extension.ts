/** A larger budget from what someone filled in, and what is wrong with it before the service is asked. */

import type { ExtensionOutlook } from "@/api/types"
import { formatName } from "@/lib/format"

/** Limits as they stand in the form: text, or null where the limit is to go. */
export type BudgetForm = Record<string, string | null>

/** Limits of the budget that have a number, with what a new one is called. */
export const LIMITS = [
  { name: "env_steps", label: "Steps per member", removable: false },
  { name: "seconds", label: "Seconds", removable: true },
  { name: "target_return", label: "Target return", removable: true },
] as const

export function presentLimit(outlook: ExtensionOutlook, name: string): number | null {
  const value = outlook.budget[name]
  return typeof value === "number" ? value : null
}

/** Twice the steps, unless they cannot change; all else as it is, but the limit that ended the run is taken away. */
export function firstForm(outlook: ExtensionOutlook): BudgetForm {
  const form: BudgetForm = {}
  for (const { name } of LIMITS) {
    const present = presentLimit(outlook, name)
    if (present !== null) form[name] = String(present)
  }
  if (outlook.budget.plateau) form.plateau = "kept"
  const { ended_by } = outlook
  if (ended_by !== null && ended_by !== "env_steps") form[ended_by] = null
  else if (outlook.steps_refusal === null)
    form.env_steps = String(2 * (presentLimit(outlook, "env_steps") ?? 0))
  return form
}

/** The limits that differ from the present ones, as the service wants them. */
export function changedLimits(outlook: ExtensionOutlook, form: BudgetForm): Record<string, number | null> {
  const changed: Record<string, number | null> = {}
  for (const [name, text] of Object.entries(form)) {
    if (text === null) changed[name] = null
    else if (name !== "plateau" && Number(text) !== presentLimit(outlook, name)) changed[name] = Number(text)
  }
  return changed
}

export function problemOf(outlook: ExtensionOutlook, form: BudgetForm): string | null {
  const changed = changedLimits(outlook, form)
  for (const { name, label } of LIMITS) {
    const value = changed[name]
    if (value === undefined || value === null) continue
    if (form[name] === "" || !Number.isFinite(value)) return `${label} must be a number.`
    if (value < (presentLimit(outlook, name) ?? 0)) return `${label} can only grow.`
  }
  if (outlook.ended_by !== null && !(outlook.ended_by in changed))
    return `It ended by its limit of ${formatName(outlook.ended_by)}, so that one must become looser.`
  if (Object.keys(changed).length === 0) return "Nothing is changed yet."
  return null
}
