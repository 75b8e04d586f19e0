/** What the page behind the palette can do: its own buttons and tabs, so that nothing is offered which it does not have. */

export interface PageAction {
  label: string
  press: () => void
}

const PRESSABLE = "button:not(:disabled):not([aria-disabled=true]):not([aria-haspopup=menu])"

export function readPageActions(page: ParentNode | null): PageAction[] {
  const found = new Map<string, PageAction>()
  for (const element of page?.querySelectorAll<HTMLButtonElement>(PRESSABLE) ?? []) {
    const label = (element.getAttribute("aria-label") ?? element.textContent ?? "")
      .replace(/\s+/g, " ")
      .trim()
    // Sort arrows, switches of a row and the like are reached in their place.
    const isOfRow = element.closest("table, [role=grid], [role=row], [role=toolbar], [role=group]") !== null
    if (label.length < 3 || isOfRow || found.has(label) || element.checkVisibility?.() === false) continue
    found.set(label, {
      label: element.getAttribute("role") === "tab" ? `Show ${label}` : label,
      press: () => {
        element.focus() // chooses a tab
        element.click()
      },
    })
  }
  return [...found.values()]
}
