import { scaleLinear } from "d3-scale"
import { phaseColour } from "@/charts/phaseColour"
import type { Theme } from "@/lib/colour"
import { formatSeconds, formatSteps } from "@/lib/format"
import { PHASES, type PhaseColumn } from "@/lib/phases"
import { useWidth } from "@/lib/useSize"

interface PhaseChartProps {
  columns: readonly PhaseColumn[]
  theme: Theme
  label: string
}

const HEIGHT = 360
const MARGIN = { left: 60, right: 16, top: 12, bottom: 28 }

/** Seconds of work per thousand steps of a member, stacked by phase. */
export function PhaseChart({ columns, theme, label }: PhaseChartProps) {
  const [host, width] = useWidth<HTMLDivElement>()
  const rates = columns.map(({ fromStep, toStep, seconds }) => ({
    fromStep,
    toStep,
    rates: PHASES.map((phase) => (1000 * seconds[phase]) / Math.max(1, toStep - fromStep)),
  }))
  const highest = Math.max(
    1e-9,
    ...rates.map((column) => column.rates.reduce((sum, value) => sum + value, 0)),
  )
  const x = scaleLinear([0, Math.max(1, columns.at(-1)?.toStep ?? 1)], [MARGIN.left, width - MARGIN.right])
  const y = scaleLinear([0, highest], [HEIGHT - MARGIN.bottom, MARGIN.top])
  return (
    <div ref={host}>
      {width > 0 && (
        <svg aria-label={label} className="block" height={HEIGHT} role="img" width={width}>
          {y.ticks(4).map((value) => (
            <g key={value}>
              <line
                className="stroke-line"
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={y(value)}
                y2={y(value)}
              />
              <text
                className="numeric fill-ink-faint text-xs"
                dy="0.32em"
                textAnchor="end"
                x={MARGIN.left - 8}
                y={y(value)}
              >
                {formatSeconds(value)}
              </text>
            </g>
          ))}
          {rates.map((column) => {
            let below = 0
            return column.rates.map((value, index) => {
              const phase = PHASES[index]!
              const bottom = below
              below += value
              if (value <= 0) return null
              return (
                <rect
                  fill={phaseColour(phase, theme)}
                  height={Math.max(0, y(bottom) - y(below))}
                  key={`${column.fromStep}-${phase}`}
                  width={Math.max(1, x(column.toStep) - x(column.fromStep) - 1)}
                  x={x(column.fromStep)}
                  y={y(below)}
                />
              )
            })
          })}
          {x.ticks(Math.max(2, Math.floor(width / 110))).map((step) => (
            <text
              className="numeric fill-ink-faint text-xs"
              key={step}
              textAnchor="middle"
              x={x(step)}
              y={HEIGHT - 8}
            >
              {formatSteps(step)}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
}
