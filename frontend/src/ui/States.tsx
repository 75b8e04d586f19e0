/** What a panel shows when it has nothing to show: not yet, nothing there, or something went wrong. */

import type { ReactNode } from "react"
import { ApiError } from "@/api/errors"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Icon, type IconName } from "@/ui/Icon"

export function Loading({
  label,
  lines = 3,
  className,
}: {
  label: string
  lines?: number
  className?: string
}) {
  return (
    <div aria-busy="true" aria-live="polite" className={classes("space-y-3 p-5", className)} role="status">
      <span className="sr-only">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <div className="skeleton h-4" key={line} style={{ width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
  /** For a panel that is rarely empty and should not push others away. */
  compact?: boolean
}

export function Empty({ icon = "info", title, children, action, compact = false }: EmptyProps) {
  return (
    <div className={classes("flex flex-col items-center gap-2 px-6 text-center", compact ? "py-4" : "py-12")}>
      <span className="mb-1 inline-flex size-10 items-center justify-center rounded-full bg-sunken text-ink-faint">
        <Icon name={icon} size={20} />
      </span>
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-balance text-ink-soft">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

interface FailureProps {
  error: unknown
  /** What could not be done, e.g. "The workers could not be loaded". */
  title: string
  onRetry?: () => void
}

export function Failure({ error, title, onRetry }: FailureProps) {
  const detail = error instanceof Error ? error.message : String(error)
  const remedy = error instanceof ApiError ? error.remedy : null
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center" role="alert">
      <span className="mb-1 inline-flex size-10 items-center justify-center rounded-full bg-bad-soft text-bad">
        <Icon name="alert" size={20} />
      </span>
      <p className="font-medium">{title}</p>
      <p className="max-w-lg text-balance text-ink-soft">{detail}</p>
      {remedy && <p className="max-w-lg text-balance text-ink-faint">{remedy}</p>}
      {onRetry && (
        <Button className="mt-3" icon="retry" onClick={onRetry} size="small">
          Try again
        </Button>
      )}
    </div>
  )
}
