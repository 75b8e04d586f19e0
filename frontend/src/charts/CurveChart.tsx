import { scaleLinear } from "d3-scale"
import { memo } from "react"
import { type Scale, SMALL, StepChart, verticalPixels } from "@/charts/StepChart"
import type { Cursor } from "@/lib/cursor"
import { formatTick } from "@/lib/format"
import { extent, type Series } from "@/lib/series"

interface CurveChartProps {
  series: Series
  /** One value per tick of the series: the line in front of all members. */
  column: Float64Array
  /** Steps at which the line passes to a child. */
  births: readonly number[]
  endStep: number
  cursor: Cursor
  label: string
}

/** One stitched line over the range of the population, with a mark at each birth. */
export const CurveChart = memo(function CurveChart(props: CurveChartProps) {
  const { series, column, births, endStep, cursor, label } = props
  const [low, high] = extent(series.columns) ?? [0, 1]
  const y = scaleLinear(low === high ? [low - 1, high + 1] : [low, high], verticalPixels(SMALL))
  const grid = y.ticks(3).map((value) => ({ value, text: formatTick(value) }))
  return (
    <StepChart cursor={cursor} endStep={endStep} grid={grid} label={label} y={y}>
      {(x) => (
        <>
          <path className="fill-ink-faint opacity-15" d={bandPath(series, x, y)} />
          {births.map((step) => (
            <line
              className="stroke-accent opacity-50"
              key={step}
              strokeDasharray="2 3"
              x1={x(step)}
              x2={x(step)}
              y1={SMALL.top}
              y2={SMALL.height - SMALL.bottom}
            />
          ))}
          <path
            className="stroke-accent"
            d={linePath(series.steps, column, x, y)}
            fill="none"
            strokeLinejoin="round"
            strokeWidth={2.25}
          />
        </>
      )}
    </StepChart>
  )
})

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
