import { type ReactNode, useId } from "react"

export const CONTROL =
  "h-8 w-full min-w-0 rounded-lg border border-line-strong bg-surface px-2.5 text-[13px] placeholder:text-ink-faint hover:border-ink-faint aria-invalid:border-bad"

interface RowProps {
  label: string
  /** What the field means. */
  hint?: ReactNode
  error?: string | null
  /** Given the ids that tie the control to its label and to its texts. */
  children: (ids: { id: string; describedBy: string | undefined }) => ReactNode
}

/** A label, its control, and below them what it means or what is wrong with it. */
export function Row({ label, hint, error, children }: RowProps) {
  const id = useId()
  const texts = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div className="grid gap-x-3 gap-y-0.5 sm:grid-cols-[minmax(110px,34%)_minmax(0,1fr)]">
      <label className="pt-1.5 text-[13px] text-ink-soft" htmlFor={id}>
        {label}
      </label>
      <div className="min-w-0">
        {children({ id, describedBy: texts || undefined })}
        {hint && (
          <div className="mt-0.5 text-[12px] text-ink-faint leading-4" id={`${id}-hint`}>
            {hint}
          </div>
        )}
        {error && (
          <p className="mt-0.5 text-[12px] text-bad leading-4" id={`${id}-error`}>
            {error}
          </p>
        )}
      </div>
    </div>
  )
}
