/** The look of plain tables in panels. */

export const HEADING =
  "whitespace-nowrap px-3 py-2 font-medium text-[13px] text-ink-faint first:pl-0 last:pr-0"
export const CELL = "border-line border-t px-3 py-2 first:pl-0 last:pr-0"
