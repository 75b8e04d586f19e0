import { type ReactNode, useId } from "react"
import { classes } from "@/ui/classes"

interface PanelProps {
  title?: ReactNode
  /** One line that says what the panel shows. */
  hint?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
  /** Content reaches the edges, as charts and tables do. */
  flush?: boolean
}

/** A titled sheet on the page. */
export function Panel({ title, hint, actions, children, className, flush = false }: PanelProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={classes("min-w-0 rounded-card border border-line bg-surface shadow-card", className)}
    >
      {title && (
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-3.5 pb-2 sm:px-5">
          <div className="min-w-0 grow">
            <h2 className="font-semibold text-[15px] leading-6" id={id}>
              {title}
            </h2>
            {hint && <p className="text-[13px] text-ink-faint">{hint}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? undefined : "px-4 pb-4 sm:px-5 sm:pb-5"}>{children}</div>
    </section>
  )
}
