import type { ReactNode } from "react"

interface FloatingProps {
  x: number
  y: number
  width: number
  height: number
  children: ReactNode
}

/** A note beside a point that keeps to the chart: it opens to the side with more room. */
export function Floating({ x, y, width, height, children }: FloatingProps) {
  const horizontal = x > width / 2 ? { right: width - x + 14 } : { left: x + 14 }
  const vertical = y > height / 2 ? { bottom: height - y + 6 } : { top: y + 6 }
  return (
    <div
      className="pointer-events-none absolute z-20 w-max max-w-[min(300px,70%)] rounded-lg border border-line bg-raised px-3 py-2 text-[13px] shadow-pop"
      style={{ ...horizontal, ...vertical }}
    >
      {children}
    </div>
  )
}
