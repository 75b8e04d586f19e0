import type { ReactNode } from "react"

/** One number with its name. */
export function Figure({
  label,
  value,
  note,
  title,
}: {
  label: string
  value: ReactNode
  note?: ReactNode
  title?: string
}) {
  return (
    <div className="min-w-0" title={title}>
      <dt className="eyebrow truncate">{label}</dt>
      <dd className="numeric truncate font-semibold text-lg leading-7">{value}</dd>
      {note && <dd className="numeric truncate text-[13px] text-ink-faint">{note}</dd>}
    </div>
  )
}
