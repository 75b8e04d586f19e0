import type { ReactNode } from "react"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

interface SortHeaderProps {
  children: ReactNode
  direction: false | "asc" | "desc"
  /** Null when the column has no order. */
  onToggle: ((event: unknown) => void) | null
  numeric: boolean
}

/** A column's heading; pressing it sorts. */
export function SortHeader({ children, direction, onToggle, numeric }: SortHeaderProps) {
  return (
    <th
      aria-sort={direction === "asc" ? "ascending" : direction === "desc" ? "descending" : undefined}
      className={classes("border-line border-b px-3 py-2 first:pl-5 last:pr-5", numeric && "text-right")}
      scope="col"
    >
      {onToggle ? (
        <button
          className={classes(
            "eyebrow inline-flex items-center gap-1 rounded align-middle hover:text-ink",
            numeric && "flex-row-reverse",
          )}
          onClick={onToggle}
          type="button"
        >
          {children}
          <span className={direction ? "text-accent" : "opacity-0"}>
            <Icon name={direction === "asc" ? "arrowUp" : "arrowDown"} size={11} />
          </span>
        </button>
      ) : (
        <span className="eyebrow align-middle">{children}</span>
      )}
    </th>
  )
}
