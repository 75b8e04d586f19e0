import { scaleLinear } from "d3-scale"
import { memo } from "react"
import { formatSteps, formatTick } from "@/lib/format"
import { extent, type Series } from "@/lib/series"
import { useWidth } from "@/lib/useSize"

interface CurveChartProps {
  series: Series
  /** One value a tick of the series: the line in front of all members. */
  column: Float64Array
  /** Steps at which the line passes to a child. */
  births: readonly number[]
  endStep: number
  label: string
}

const HEIGHT = 132
const MARGIN = { left: 52, right: 12, top: 12, bottom: 22 }

/** One stitched line over the range of the population, with a mark at each birth. */
export const CurveChart = memo(function CurveChart(props: CurveChartProps) {
  const { series, column, births, endStep, label } = props
  const [host, width] = useWidth<HTMLDivElement>()
  const range = extent(series.columns) ?? [0, 1]
  const x = scaleLinear([0, Math.max(1, endStep)], [MARGIN.left, width - MARGIN.right])
  const y = scaleLinear(range[0] === range[1] ? [range[0] - 1, range[1] + 1] : range, [
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  ])
  return (
    <div ref={host}>
      {width > 0 && (
        <svg aria-label={label} className="block" height={HEIGHT} role="img" width={width}>
          {y.ticks(3).map((value) => (
            <g key={value}>
              <line
                className="stroke-line"
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={y(value)}
                y2={y(value)}
              />
              <text
                className="numeric fill-ink-faint text-[11px]"
                dy="0.32em"
                textAnchor="end"
                x={MARGIN.left - 8}
                y={y(value)}
              >
                {formatTick(value)}
              </text>
            </g>
          ))}
          <path className="fill-ink-faint opacity-15" d={bandPath(series, x, y)} />
          {births.map((step) => (
            <line
              className="stroke-accent opacity-50"
              key={step}
              strokeDasharray="2 3"
              x1={x(step)}
              x2={x(step)}
              y1={MARGIN.top}
              y2={HEIGHT - MARGIN.bottom}
            />
          ))}
          <path
            className="stroke-accent"
            d={linePath(series.steps, column, x, y)}
            fill="none"
            strokeLinejoin="round"
            strokeWidth={2.25}
          />
          {x.ticks(Math.max(2, Math.floor(width / 110))).map((step) => (
            <text
              className="numeric fill-ink-faint text-[11px]"
              key={step}
              textAnchor="middle"
              x={x(step)}
              y={HEIGHT - 4}
            >
              {formatSteps(step)}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
})

type Scale = (value: number) => number

function linePath(steps: Float64Array, column: Float64Array, x: Scale, y: Scale): string {
  let path = ""
  let drawing = false
  column.forEach((value, tick) => {
    if (!Number.isFinite(value)) {
      drawing = false
      return
    }
    path += `${drawing ? "L" : "M"}${x(steps[tick]!).toFixed(1)} ${y(value).toFixed(1)}`
    drawing = true
  })
  return path
}

/** The area between the worst and the best member. */
function bandPath(series: Series, x: Scale, y: Scale): string {
  const upper: string[] = []
  const lower: string[] = []
  series.steps.forEach((step, tick) => {
    const values = series.columns.map((column) => column[tick]!).filter(Number.isFinite)
    if (values.length === 0) return
    upper.push(`${x(step).toFixed(1)} ${y(Math.max(...values)).toFixed(1)}`)
    lower.unshift(`${x(step).toFixed(1)} ${y(Math.min(...values)).toFixed(1)}`)
  })
  return upper.length > 1 ? `M${[...upper, ...lower].join("L")}Z` : ""
}
