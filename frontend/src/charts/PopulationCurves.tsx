import { useEffect, useMemo, useRef, useState } from "react"
import type uPlot from "uplot"
import { curveData, curveOptions, gutterFor } from "@/charts/curvePlot"
import { UPlotChart } from "@/charts/UPlotChart"
import type { Cursor } from "@/lib/cursor"
import { usePalette } from "@/lib/palette"
import { type Axis, extent, type Series } from "@/lib/series"
import { useWidth } from "@/lib/useSize"

export interface PopulationCurvesProps {
  series: Series
  axis: Axis
  range: readonly [number, number]
  logarithmic: boolean
  /** One value per tick: the metric along the selected descendant's ancestry. */
  ancestral: Float64Array | null
  highlighted: number | null
  /** Positions on the axis that a vertical line marks: interruptions. */
  marks: readonly number[]
  cursor: Cursor
  label: string
  height?: number
  onHighlight: (slot: number | null) => void
  onSelect: (slot: number) => void
  /** The position that was clicked. */
  onMoment: (position: number) => void
  onRange: (range: [number, number] | null) => void
}

/** One line per member, with best and median in front; the line under the pointer is emphasised. */
export function PopulationCurves(props: PopulationCurvesProps) {
  const { series, axis, range, ancestral, highlighted, cursor, height = 280 } = props
  const [host, width] = useWidth<HTMLDivElement>()
  const [plot, setPlot] = useState<uPlot | null>(null)
  const palette = usePalette()
  const latest = useRef(props)
  latest.current = props

  const members = series.columns.length
  const withAncestry = ancestral !== null && members > 1
  const withSpread = series.spread !== null
  const data = useMemo(() => curveData(series, axis, ancestral), [series, axis, ancestral])
  const positive = (extent(series.columns)?.[0] ?? 0) > 0
  const scale = props.logarithmic ? (positive ? "log" : "signed-log") : "linear"
  const narrow = width < 560
  const options = useMemo(() => {
    const style = {
      members,
      axis,
      scale,
      withAncestry,
      withSpread,
      theme: palette.theme,
      gutter: gutterFor(narrow ? 0 : 1000),
      ink: palette.ink,
      inkSoft: palette["ink-soft"],
      inkFaint: palette["ink-faint"],
      line: palette.line,
      accent: palette.accent,
      warn: palette.warn,
    } as const
    return curveOptions(style, {
      onCursor: (position) => latest.current.cursor.move(position),
      onFocus: (slot) => latest.current.onHighlight(slot),
      onSelect: () => {
        const { highlighted, onSelect, onMoment, cursor } = latest.current
        const position = cursor.read()
        if (position !== null) onMoment(position)
        if (highlighted !== null) onSelect(highlighted)
      },
      onRange: (next) => latest.current.onRange(next),
      highlighted: () => latest.current.highlighted,
      marks: () => latest.current.marks,
    })
  }, [members, axis, scale, withAncestry, withSpread, narrow, palette])

  useEffect(() => {
    if (!plot) return
    const member = highlighted !== null && members > 1 ? highlighted + 1 : null
    plot.setSeries(member, { focus: true }, false)
  }, [plot, highlighted, members])

  useEffect(() => {
    if (!plot) return
    return cursor.subscribe(() => {
      const position = cursor.read()
      const left = position === null ? -10 : plot.valToPos(position, "x")
      if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5) plot.setCursor({ left, top: -10 }, false)
    })
  }, [plot, cursor])

  return (
    <div
      aria-label={props.label}
      data-exact={series.spread === null}
      data-points={series.steps.length}
      data-testid="curves"
      ref={host}
      role="img"
      style={{ height }}
    >
      {width > 0 && (
        <UPlotChart
          data={data}
          height={height}
          onPlot={setPlot}
          options={options}
          range={range}
          width={width}
        />
      )}
    </div>
  )
}
