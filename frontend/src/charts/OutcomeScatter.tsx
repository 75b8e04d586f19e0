import { memo } from "react"
import type { SpanOutcome } from "@/api/types"
import { type Axis, placeOn, ticksOf } from "@/lib/explain"
import { useWidth } from "@/lib/useSize"

interface OutcomeScatterProps {
  axis: Axis
  outcome: Axis
  spans: readonly SpanOutcome[]
  /** Means of the outcome over a range of values, drawn as lines. */
  levels: readonly { low: number; high: number; mean: number }[]
  label: string
}

const HEIGHT = 180
const FRAME = { left: 52, right: 14, top: 10, bottom: 24 }

/** A dot for each span: its value against what came of it. */
export const OutcomeScatter = memo(function OutcomeScatter(props: OutcomeScatterProps) {
  const { axis, outcome, spans, levels, label } = props
  const [host, width] = useWidth<HTMLDivElement>()
  const right = width - FRAME.right
  const x = (place: number) => FRAME.left + place * (right - FRAME.left)
  const y = (place: number) => HEIGHT - FRAME.bottom - place * (HEIGHT - FRAME.bottom - FRAME.top)
  const at = (read: Axis, value: number) => placeOn({ ...read, read: () => value }, spans[0]!)
  return (
    <div ref={host}>
      {width > 0 && (
        <svg aria-label={label} className="block" height={HEIGHT} role="img" width={width}>
          {ticksOf(outcome).map(({ place, text }) => (
            <g key={place}>
              <line
                className="stroke-line"
                strokeDasharray={place === 0.5 ? "1 4" : undefined}
                x1={FRAME.left}
                x2={right}
                y1={y(place)}
                y2={y(place)}
              />
              <text
                className="numeric fill-ink-faint text-[11px]"
                dy="0.32em"
                textAnchor="end"
                x={FRAME.left - 8}
                y={y(place)}
              >
                {text}
              </text>
            </g>
          ))}
          {ticksOf(axis).map(({ place, text }) => (
            <text
              className="numeric fill-ink-faint text-[11px]"
              key={place}
              textAnchor={place === 0 ? "start" : place === 1 ? "end" : "middle"}
              x={x(place)}
              y={HEIGHT - 6}
            >
              {text}
            </text>
          ))}
          <path
            className="fill-none stroke-accent opacity-50"
            d={dotsOf(spans, axis, outcome, x, y)}
            strokeLinecap="round"
            strokeWidth={5}
          />
          {levels.map(({ low, high, mean }) => (
            <line
              className="stroke-ink"
              key={low}
              strokeWidth={2.5}
              x1={x(at(axis, low)) - 3}
              x2={x(at(axis, high)) + 3}
              y1={y(at(outcome, mean))}
              y2={y(at(outcome, mean))}
            />
          ))}
        </svg>
      )}
    </div>
  )
})

/** Round ends of lines without a length: one drawing, however many dots. */
function dotsOf(
  spans: readonly SpanOutcome[],
  axis: Axis,
  outcome: Axis,
  x: (place: number) => number,
  y: (place: number) => number,
): string {
  let path = ""
  for (const span of spans) {
    const [across, up] = [placeOn(axis, span), placeOn(outcome, span)]
    if (Number.isNaN(across) || Number.isNaN(up)) continue
    path += `M${x(across).toFixed(1)} ${y(up).toFixed(1)}h0`
  }
  return path
}
