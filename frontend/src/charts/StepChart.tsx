import { scaleLinear } from "d3-scale"
import { type PointerEvent, type ReactNode, useSyncExternalStore } from "react"
import type { Cursor } from "@/lib/cursor"
import { formatSteps } from "@/lib/format"
import { useWidth } from "@/lib/useSize"

export interface Frame {
  height: number
  left: number
  right: number
  top: number
  bottom: number
}

/** A chart that stands beside others like it. */
export const SMALL: Frame = { height: 132, left: 52, right: 12, top: 12, bottom: 22 }

export type Scale = (value: number) => number

/** From the bottom of the drawing to its top: the range of a vertical scale. */
export function verticalPixels(frame: Frame): [number, number] {
  return [frame.height - frame.bottom, frame.top]
}

interface GridLine {
  value: number
  text: string
  /** A bound rather than a measure. */
  dash?: string
}

interface StepChartProps {
  label: string
  endStep: number
  y: Scale
  grid: readonly GridLine[]
  frame?: Frame
  /** In steps; shared with other charts. */
  cursor?: Cursor
  children: (x: Scale) => ReactNode
}

/** What small charts over steps have in common: room, grid, axes and the shared cursor. */
export function StepChart({ label, endStep, y, grid, frame = SMALL, cursor, children }: StepChartProps) {
  const [host, width] = useWidth<HTMLDivElement>()
  const { left, height } = frame
  const right = width - frame.right
  const x = scaleLinear([0, Math.max(1, endStep)], [left, right])

  function onPointerMove(event: PointerEvent<SVGSVGElement>) {
    const pixel = event.clientX - event.currentTarget.getBoundingClientRect().left
    cursor?.move(pixel >= left && pixel <= right ? x.invert(pixel) : null)
  }

  return (
    <div ref={host}>
      {width > 0 && (
        <svg
          aria-label={label}
          className="block overflow-visible"
          height={height}
          onPointerLeave={() => cursor?.move(null)}
          onPointerMove={onPointerMove}
          role="img"
          width={width}
        >
          {grid.map(({ value, text, dash }) => (
            <g key={value}>
              <line
                className={dash ? "stroke-line-strong" : "stroke-line"}
                strokeDasharray={dash}
                x1={left}
                x2={right}
                y1={y(value)}
                y2={y(value)}
              />
              <text
                className="numeric fill-ink-faint text-[11px]"
                dy="0.32em"
                textAnchor="end"
                x={left - 8}
                y={y(value)}
              >
                {text}
              </text>
            </g>
          ))}
          {children(x)}
          {x.ticks(Math.max(2, Math.floor(width / 110))).map((step) => (
            <text
              className="numeric fill-ink-faint text-[11px]"
              key={step}
              textAnchor="middle"
              x={x(step)}
              y={height - 4}
            >
              {formatSteps(step)}
            </text>
          ))}
          {cursor && <CursorLine cursor={cursor} frame={frame} right={right} x={x} />}
        </svg>
      )}
    </div>
  )
}

interface CursorLineProps {
  cursor: Cursor
  x: Scale
  frame: Frame
  right: number
}

/** Subscribes by itself, so that a moving pointer redraws one line and not the chart. */
function CursorLine({ cursor, x, frame, right }: CursorLineProps) {
  const step = useSyncExternalStore(cursor.subscribe, cursor.read)
  const pixel = step === null ? Number.NaN : x(step)
  if (!(pixel >= frame.left && pixel <= right)) return null
  return (
    <line
      className="stroke-ink-faint"
      data-testid="cursor"
      strokeDasharray="3 3"
      x1={pixel}
      x2={pixel}
      y1={frame.top}
      y2={frame.height - frame.bottom}
    />
  )
}
