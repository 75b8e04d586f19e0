/** Builds what uPlot needs to draw the curves of a population. Pure, so that tests can read it. */

import type uPlot from "uplot"
import { drawEndLabels } from "@/charts/endLabels"
import type { PlotOptions } from "@/charts/UPlotChart"
import { memberMark, type Theme } from "@/lib/colour"
import { formatDuration, formatSlot, formatSteps, formatTick } from "@/lib/format"
import { type Axis, positions, type Series, summarise } from "@/lib/series"

/**
 * Members first, so that a member's series has the number slot + 1; then median, best and the chosen ancestry. A metric of
 * the whole population is its only line. Last come the ends of the shade, where points stand for many ticks.
 */
export function curveData(series: Series, axis: Axis, ancestral: Float64Array | null): uPlot.AlignedData {
  const columns = [...series.columns]
  if (columns.length > 1) {
    const { best, median } = summarise(series)
    columns.push(median, best)
    if (ancestral) columns.push(ancestral)
  }
  if (series.spread) columns.push(series.spread.low, series.spread.high)
  return [positions(series, axis), ...columns.map(drawable)] as uPlot.AlignedData
}

/** uPlot draws gaps for null only; NaN and infinities would break its scales. */
function drawable(column: Float64Array): (number | null)[] {
  return Array.from(column, (value) => (Number.isFinite(value) ? value : null))
}

export interface CurveStyle {
  members: number
  axis: Axis
  theme: Theme
  /** `signed-log` is linear around zero, for values that may be negative. */
  scale: "linear" | "log" | "signed-log"
  gutter: Gutter
  withAncestry: boolean
  /** Points stand for many ticks: a shade shows their least and greatest values. */
  withSpread: boolean
  ink: string
  inkSoft: string
  inkFaint: string
  line: string
  accent: string
  warn: string
}

/** uPlot's numbers for its kinds of axes. */
const DISTRIBUTIONS = { linear: 1, log: 3, "signed-log": 4 } as const

export interface CurveHandlers {
  onCursor: (position: number | null) => void
  onFocus: (slot: number | null) => void
  onSelect: () => void
  onRange: (range: [number, number] | null) => void
  highlighted: () => number | null
  /** Where a vertical line is drawn over the curves. */
  marks: () => readonly number[]
}

export function curveOptions(style: CurveStyle, handlers: CurveHandlers): PlotOptions {
  const lines = style.members === 1 ? [onlySeries(style)] : [...memberSeries(style), ...summarySeries(style)]
  const series = [{}, ...lines, ...(style.withSpread ? SPREAD : [])]
  return {
    legend: { show: false },
    padding: [12, style.gutter.right, 0, 0],
    focus: { alpha: 0.25 },
    cursor: {
      y: false,
      points: { size: 7, width: 2 },
      focus: { prox: 20 },
      drag: { x: true, y: false, setScale: false, dist: 8 },
      bind: {
        dblclick: () => () => {
          handlers.onRange(null)
          return null
        },
      },
    },
    scales: {
      x: { time: false, auto: false },
      y: { distr: DISTRIBUTIONS[style.scale], range: style.scale === "linear" ? paddedRange : undefined },
    },
    axes: [xAxis(style), yAxis(style)],
    series,
    bands: style.withSpread
      ? [{ series: [series.length - 1, series.length - 2], fill: `${style.inkFaint}33` }]
      : [],
    hooks: {
      draw: [
        (plot) => drawMarks(plot, style, handlers.marks()),
        (plot) => drawEndLabels(plot, style, handlers.highlighted()),
      ],
      setCursor: [
        (plot) => {
          const { left } = plot.cursor
          handlers.onCursor(left === undefined || left < 0 ? null : plot.posToVal(left, "x"))
        },
      ],
      setSeries: [
        (plot, index) => {
          const focused = index !== null && plot.cursor.left! >= 0 ? index - 1 : null
          const isMember = focused !== null && focused >= 0 && focused < style.members && style.members > 1
          handlers.onFocus(isMember ? focused : null)
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < 8) return
          handlers.onRange([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")])
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
      ready: [(plot) => plot.over.addEventListener("click", handlers.onSelect)],
    },
  }
}

/** A dashed line across the plot at each position that is in sight. */
export function drawMarks(plot: uPlot, { warn }: CurveStyle, marks: readonly number[]): void {
  const { ctx, bbox } = plot
  const seen = marks
    .map((mark) => plot.valToPos(mark, "x", true))
    .filter((x) => x >= bbox.left && x <= bbox.left + bbox.width)
  if (seen.length === 0) return
  ctx.save()
  ctx.strokeStyle = warn
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio])
  ctx.beginPath()
  for (const x of seen) {
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
  }
  ctx.stroke()
  ctx.restore()
}

/** Room above and below the values; a flat line still gets a scale. */
function paddedRange(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1]
  const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1
  return [low - room, high + room]
}

function xAxis({ axis, inkFaint, line }: CurveStyle): uPlot.Axis {
  const label = axis === "steps" ? formatSteps : formatDuration
  return {
    stroke: inkFaint,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    space: 72,
    size: 28,
    font: "12px Inter, system-ui, sans-serif",
    values: (_, splits) => splits.map(label),
  }
}

function yAxis({ inkFaint, line, gutter }: CurveStyle): uPlot.Axis {
  return {
    stroke: inkFaint,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    size: gutter.left,
    gap: 8,
    font: "12px Inter, system-ui, sans-serif",
    values: (_, splits) => splits.map((value) => (value === null ? "" : formatTick(value))),
  }
}

const SPREAD: uPlot.Series[] = ["least", "greatest"].map((label) => ({
  label,
  width: 0,
  points: { show: false },
}))

function onlySeries({ accent }: CurveStyle): uPlot.Series {
  return { label: "population", stroke: accent, width: 2, points: { show: fewTicks, size: 6 } }
}

function memberSeries({ members, theme, withAncestry }: CurveStyle): uPlot.Series[] {
  return Array.from({ length: members }, (_, slot) => {
    const { colour, dash } = memberMark(slot, theme)
    return {
      label: formatSlot(slot),
      stroke: colour + (withAncestry ? "40" : members > 16 ? "73" : "cc"),
      dash: [...dash],
      width: members > 16 ? 1 : 1.25,
      spanGaps: false,
      points: { show: fewTicks, size: 5 },
    }
  })
}

function summarySeries({ ink, inkSoft, accent, withAncestry }: CurveStyle): uPlot.Series[] {
  const points = { show: fewTicks, size: 6 }
  const summary: uPlot.Series[] = [
    { label: "median", stroke: inkSoft, width: 1.75, dash: [6, 4], points },
    { label: "best", stroke: ink, width: 2.25, points },
  ]
  if (withAncestry) summary.push({ label: "ancestry", stroke: accent, width: 3, points })
  return summary
}

/** A line needs two points; a single tick is shown as a dot. */
function fewTicks(plot: uPlot): boolean {
  return (plot.data[0]?.length ?? 0) < 2
}

/** Curves and timeline share one x-axis, so both have the same left and right margins. */
export interface Gutter {
  left: number
  right: number
}

export function gutterFor(width: number): Gutter {
  return width < 560 ? { left: 48, right: 40 } : { left: 64, right: 56 }
}
