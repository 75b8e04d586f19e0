/** What the page of runtime studies draws: lines of cost and of speed-up over population size, and their table. */

import type { Measurement, Study } from "@/api/types"

export interface Shape {
  fused: number
  batch: number
  hidden: readonly number[]
}

export interface Point {
  size: number
  value: number
  low: number
  high: number
}

export interface Line {
  key: string
  study: number
  contender: string
  points: readonly Point[]
}

export interface Row {
  study: Study
  measurement: Measurement
  speedup: number | null
}

/** `jax vectorized`, `torch sequential compiled`: as the CLI calls them. */
export function contenderOf({ framework, strategy, compiled }: Measurement): string {
  return `${framework} ${strategy}${compiled ? " compiled" : ""}`
}

export function shapeName(shape: Shape): string {
  const updates = shape.fused === 1 ? "1 update" : `${shape.fused} updates`
  return `${updates} per call, batch ${shape.batch}, hidden ${shape.hidden.join(" × ")}`
}

function shapeOf({ fused_updates, batch_size, hidden }: Measurement): Shape {
  return { fused: fused_updates, batch: batch_size, hidden }
}

function distinct<T>(values: readonly T[], name: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [name(value), value])).values()]
}

function measurementsOf(studies: readonly Study[]): Measurement[] {
  return studies.flatMap(({ measurements }) => measurements)
}

export function shapesOf(studies: readonly Study[]): Shape[] {
  return distinct(measurementsOf(studies).map(shapeOf), shapeName)
}

export function algorithmsOf(studies: readonly Study[]): string[] {
  return distinct(
    measurementsOf(studies).map(({ algorithm }) => algorithm),
    String,
  )
}

export function contendersOf(studies: readonly Study[]): string[] {
  return distinct(measurementsOf(studies).map(contenderOf), String)
}

/** What people use today, where it was measured. */
export function defaultBaseline(contenders: readonly string[]): string | undefined {
  return ["torch sequential", "jax sequential"].find((name) => contenders.includes(name)) ?? contenders[0]
}

/** Milliseconds per update of the population; cells without a number leave a gap at the end of a line. */
export function costLines(studies: readonly Study[], algorithm: string, shape: string): Line[] {
  return studies.flatMap((study) => {
    const own = study.measurements.filter(
      (cell) => cell.algorithm === algorithm && shapeName(shapeOf(cell)) === shape,
    )
    return distinct(own.map(contenderOf), String).map((contender) => ({
      key: `${study.id} ${contender}`,
      study: study.id,
      contender,
      points: own
        .filter((cell) => contenderOf(cell) === contender)
        .flatMap(({ population_size: size, median, low, high }) =>
          median === null || low === null || high === null ? [] : [{ size, value: median, low, high }],
        )
        .sort((a, b) => a.size - b.size),
    }))
  })
}

/** How many times faster than the baseline of the same study at the same size. */
export function speedupLines(lines: readonly Line[], baseline: string | undefined): Line[] {
  return lines.flatMap((line) => {
    const base = lines.find(({ study, contender }) => study === line.study && contender === baseline)
    const costs = new Map(base?.points.map(({ size, value }) => [size, value]))
    const points = line.points.flatMap(({ size, value, low, high }) => {
      const cost = costs.get(size)
      return cost === undefined ? [] : [{ size, value: cost / value, low: cost / high, high: cost / low }]
    })
    return points.length ? [{ ...line, points }] : []
  })
}

export function rowsOf(studies: readonly Study[], shape: string, baseline: string | undefined): Row[] {
  return studies.flatMap((study) => {
    const own = study.measurements.filter((cell) => shapeName(shapeOf(cell)) === shape)
    const key = (cell: Measurement) => `${cell.algorithm} ${cell.population_size}`
    const base = new Map(
      own.filter((cell) => contenderOf(cell) === baseline).map((cell) => [key(cell), cell.median]),
    )
    return own.map((measurement) => {
      const cost = base.get(key(measurement))
      const speedup = cost && measurement.median ? cost / measurement.median : null
      return { study, measurement, speedup }
    })
  })
}

const COLUMNS = [
  "study",
  "device",
  "algorithm",
  "framework",
  "strategy",
  "compiled",
  "population_size",
  "fused_updates",
  "batch_size",
  "hidden",
  "status",
  "median_ms",
  "low_ms",
  "high_ms",
  "speedup",
  "compile_seconds",
  "peak_memory_bytes",
  "milliseconds",
  "reason",
] as const

export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map(({ study, measurement: cell, speedup }) => [
    study.name,
    study.machine?.device_name,
    cell.algorithm,
    cell.framework,
    cell.strategy,
    cell.compiled,
    cell.population_size,
    cell.fused_updates,
    cell.batch_size,
    cell.hidden.join("x"),
    cell.status,
    cell.median,
    cell.low,
    cell.high,
    speedup,
    cell.compile_seconds,
    cell.peak_memory_bytes,
    cell.milliseconds.join(" "),
    cell.reason,
  ])
  return [COLUMNS, ...lines].map((line) => `${line.map(field).join(",")}\n`).join("")
}

function field(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
