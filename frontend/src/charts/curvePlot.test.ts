import { expect, it, vi } from "vitest"
import { type CurveStyle, curveData, curveOptions, drawMarks } from "@/charts/curvePlot"
import { decodeSeries } from "@/lib/series"
import { metricSeries } from "@/testing/samples"

const STYLE: CurveStyle = {
  members: 4,
  axis: "steps",
  theme: "light",
  scale: "linear",
  gutter: { left: 60, right: 50 },
  withAncestry: true,
  withSpread: false,
  ink: "#000000",
  inkSoft: "#333333",
  inkFaint: "#666666",
  line: "#cccccc",
  accent: "#008080",
  warn: "#8a5a00",
}
const HANDLERS = {
  onCursor: () => undefined,
  onFocus: () => undefined,
  onSelect: () => undefined,
  onRange: () => undefined,
  highlighted: () => null,
  marks: () => [],
}

it("puts members first, then median, best and ancestry", () => {
  const series = decodeSeries(metricSeries())
  const data = curveData(series, "wall", series.columns[0]!)
  expect(Array.from(data[0]!)).toEqual([6, 11, 15, 19, 24, 28])
  expect(data).toHaveLength(8)
  expect(data[5]![0]).toBe(1.5)
  expect(data[6]![0]).toBe(3)
})

it("draws gaps for what is not finite", () => {
  const wire = {
    ...metricSeries(),
    values: metricSeries().values.map((row, tick) => (tick === 1 ? ["NaN", "Infinity", 1, 2] : row)),
  }
  const data = curveData(decodeSeries(wire as never), "steps", null)
  expect(data[1]![1]).toBeNull()
  expect(data[2]![1]).toBeNull()
  expect(data[6]![1]).toBe(2)
})

it("has one series for each column of data", () => {
  const series = decodeSeries(metricSeries())
  expect(curveOptions(STYLE, HANDLERS).series).toHaveLength(
    curveData(series, "steps", series.columns[0]!).length,
  )
  expect(curveOptions({ ...STYLE, withAncestry: false }, HANDLERS).series).toHaveLength(
    curveData(series, "steps", null).length,
  )
})

it("draws a metric of the whole population as its only line", () => {
  const single = decodeSeries(metricSeries("speed/updates_per_second", 1))
  expect(curveData(single, "steps", null)).toHaveLength(2)
  expect(curveOptions({ ...STYLE, members: 1, withAncestry: false }, HANDLERS).series).toHaveLength(2)
})

it("marks interruptions that are in sight by a line across the plot", () => {
  vi.stubGlobal("devicePixelRatio", 1)
  const lines: number[][] = []
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    setLineDash: () => undefined,
    beginPath: () => undefined,
    stroke: () => undefined,
    moveTo: (...point: number[]) => lines.push(point),
    lineTo: (...point: number[]) => lines.push(point),
  }
  const plot = {
    ctx,
    bbox: { left: 10, top: 5, width: 100, height: 50 },
    valToPos: (step: number) => 10 + step / 10,
  }
  drawMarks(plot as never, STYLE, [200, 5000])
  expect(lines).toEqual([
    [30, 5],
    [30, 55],
  ])
})

it("shades what lies between the least and the greatest where points stand for many ticks", () => {
  const wire = { ...metricSeries(), ticks: Array(6).fill(9), is_exact: false }
  const aggregated = {
    ...wire,
    low: wire.values.map(() => [-5, "NaN"]),
    high: wire.values.map(() => [900, 7]),
  }
  const data = curveData(decodeSeries(aggregated), "steps", null)
  expect(data.slice(-2).map((column) => column![0])).toEqual([-5, 900])
  const options = curveOptions({ ...STYLE, withAncestry: false, withSpread: true }, HANDLERS)
  expect(options.series).toHaveLength(data.length)
  expect(options.bands![0]!.series).toEqual([data.length - 1, data.length - 2])
})
