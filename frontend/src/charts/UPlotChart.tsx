import { useEffect, useLayoutEffect, useRef } from "react"
import uPlot from "uplot"

export type PlotOptions = Omit<uPlot.Options, "width" | "height">

interface UPlotChartProps {
  /** Memoised: new options rebuild the plot. */
  options: PlotOptions
  /** Immutable: new data only redraws. */
  data: uPlot.AlignedData
  range: readonly [number, number]
  width: number
  height: number
  onPlot?: (plot: uPlot | null) => void
}

/** The bridge between React and uPlot: options rebuild, data redraws, size resizes. */
export function UPlotChart({ options, data, range, width, height, onPlot }: UPlotChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef({ data, range, width, height, onPlot })
  latest.current = { data, range, width, height, onPlot }

  useLayoutEffect(() => {
    const { data, width, height, onPlot, range } = latest.current
    const built = new uPlot({ ...options, width, height }, data, host.current!)
    built.setScale("x", { min: range[0], max: range[1] })
    plot.current = built
    onPlot?.(built)
    return () => {
      onPlot?.(null)
      built.destroy()
      plot.current = null
    }
  }, [options])

  useEffect(() => {
    plot.current?.batch(() => {
      plot.current?.setData(data, false)
      plot.current?.setScale("x", { min: range[0], max: range[1] })
    })
  }, [data, range])

  useLayoutEffect(() => plot.current?.setSize({ width, height }), [width, height])

  return <div ref={host} />
}
