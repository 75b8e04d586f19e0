import type { SelectHTMLAttributes } from "react"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  "aria-label": string
}

/** The platform's own list, which phones and screen readers know best, in our clothes. */
export function Select({ className, children, ...rest }: SelectProps) {
  return (
    <span className={classes("relative inline-flex", className)}>
      <select
        className="h-8 w-full min-w-0 cursor-pointer appearance-none truncate rounded-lg border border-line-strong bg-surface pr-8 pl-2.5 text-[13px] text-ink transition-colors hover:border-ink-faint"
        {...rest}
      >
        {children}
      </select>
      <span className="-translate-y-1/2 pointer-events-none absolute top-1/2 right-2.5 text-ink-faint">
        <Icon name="chevron" size={14} />
      </span>
    </span>
  )
}
