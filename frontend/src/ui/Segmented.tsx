import { ToggleGroup } from "radix-ui"
import type { ReactNode } from "react"

interface SegmentedProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: ReactNode; title?: string }[]
  onChange: (value: T) => void
}

/** A choice between a few things that exclude each other. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      aria-label={label}
      className="inline-flex h-8 items-center gap-0.5 rounded-lg border border-line bg-sunken p-0.5"
      onValueChange={(next) => next && onChange(next as T)}
      type="single"
      value={value}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          className="inline-flex h-full items-center gap-1.5 rounded-md px-2.5 text-[13px] text-ink-soft transition-colors hover:text-ink data-[state=on]:bg-surface data-[state=on]:font-medium data-[state=on]:text-ink data-[state=on]:shadow-card"
          key={option.value}
          title={option.title}
          value={option.value}
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
