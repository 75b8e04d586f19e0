import { classes } from "@/ui/classes"

interface ProgressProps {
  /** 0 to 1. */
  share: number
  label: string
  tone?: "accent" | "bad" | "quiet"
  className?: string
}

const TONES = { accent: "bg-accent", bad: "bg-bad", quiet: "bg-line-strong" }

export function Progress({ share, label, tone = "accent", className }: ProgressProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10
  return (
    <div
      aria-label={label}
      aria-valuemax={100}
      aria-valuemin={0}
      aria-valuenow={percent}
      className={classes("h-1.5 overflow-hidden rounded-full bg-line", className)}
      role="progressbar"
    >
      <div
        className={classes("h-full rounded-full transition-[width] duration-500", TONES[tone])}
        style={{ width: `${percent}%` }}
      />
    </div>
  )
}
