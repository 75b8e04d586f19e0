/** One metric over time as columns of typed arrays. A series is never changed: growing makes a new one. */

import { decodeColumns, decodeNumber } from "@/lib/decode"

export interface Series {
  readonly name: string
  /** Environment steps per member at each tick, rising. */
  readonly steps: Float64Array
  /** Seconds of work at each tick, rising. */
  readonly wall: Float64Array
  /** One column per member (or a single one for the population), each with one value per tick. */
  readonly columns: readonly Float64Array[]
  /**
   * Where entries are buckets of ticks: the least and the greatest value of any member in each, and columns hold means.
   * Null where every tick is here.
   */
  readonly spread: Spread | null
}

export interface Spread {
  /** How many ticks each bucket stands for; NaN where an entry is a tick that was streamed. */
  readonly ticks: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
}

export type Axis = "steps" | "wall"

export interface WireSeries {
  name: string
  steps: readonly number[]
  wall: readonly number[]
  values: readonly (readonly unknown[])[]
  low: readonly (readonly unknown[])[]
  high: readonly (readonly unknown[])[]
  ticks: readonly number[]
  is_exact: boolean
}

export function emptySeries(name: string): Series {
  return { name, steps: new Float64Array(), wall: new Float64Array(), columns: [], spread: null }
}

export function decodeSeries(wire: WireSeries): Series {
  return {
    name: wire.name,
    steps: Float64Array.from(wire.steps),
    wall: Float64Array.from(wire.wall, decodeNumber),
    columns: decodeColumns(wire.values),
    spread: wire.is_exact
      ? null
      : {
          ticks: Float64Array.from(wire.ticks),
          low: Float64Array.from(wire.low, (values) => extentOf(values)[0]),
          high: Float64Array.from(wire.high, (values) => extentOf(values)[1]),
        },
  }
}

/** Of those that are finite; NaN where none is. */
function extentOf(values: readonly unknown[]): [number, number] {
  const numbers = values.map(decodeNumber).filter(Number.isFinite)
  return numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [Number.NaN, Number.NaN]
}

function grown(column: Float64Array, value: number): Float64Array {
  const next = new Float64Array(column.length + 1)
  next.set(column)
  next[column.length] = value
  return next
}

/** The series with one more tick; a tick that is not later than the last one is already there and changes nothing. */
export function appendTick(series: Series, step: number, wall: number, values: readonly unknown[]): Series {
  const last = series.steps.at(-1)
  if (last !== undefined && step <= last) return series
  const width = Math.max(series.columns.length, values.length)
  const absent = new Float64Array(series.steps.length).fill(Number.NaN)
  return {
    name: series.name,
    steps: grown(series.steps, step),
    wall: grown(series.wall, wall),
    columns: Array.from({ length: width }, (_, member) =>
      grown(series.columns[member] ?? absent, decodeNumber(values[member])),
    ),
    spread: null,
  }
}

/** What was loaded, followed by those streamed ticks that are later than it. */
export function mergeSeries(loaded: Series, streamed: Series | undefined): Series {
  if (!streamed || streamed.steps.length === 0) return loaded
  if (loaded.steps.length === 0) return streamed
  const last = loaded.steps.at(-1)!
  const first = streamed.steps.findIndex((step) => step > last)
  if (first < 0) return loaded
  const join = (head: Float64Array | undefined, tail: Float64Array | undefined) => {
    const joined = new Float64Array(loaded.steps.length + streamed.steps.length - first).fill(Number.NaN)
    if (head) joined.set(head)
    if (tail) joined.set(tail.subarray(first), loaded.steps.length)
    return joined
  }
  const width = Math.max(loaded.columns.length, streamed.columns.length)
  return {
    name: loaded.name,
    steps: join(loaded.steps, streamed.steps),
    wall: join(loaded.wall, streamed.wall),
    columns: Array.from({ length: width }, (_, member) =>
      join(loaded.columns[member], streamed.columns[member]),
    ),
    spread: loaded.spread && {
      ticks: join(loaded.spread.ticks, undefined),
      low: join(loaded.spread.low, undefined),
      high: join(loaded.spread.high, undefined),
    },
  }
}

/** The axis' values of a series. */
export function positions(series: Series, axis: Axis): Float64Array {
  return axis === "steps" ? series.steps : series.wall
}

export interface Summary {
  best: Float64Array
  median: Float64Array
}

/** Best and median over the members that have a finite value, tick by tick. */
export function summarise(series: Series): Summary {
  const ticks = series.steps.length
  const best = new Float64Array(ticks).fill(Number.NaN)
  const median = new Float64Array(ticks).fill(Number.NaN)
  for (let tick = 0; tick < ticks; tick += 1) {
    const values = series.columns.map((column) => column[tick]!).filter(Number.isFinite)
    if (values.length === 0) continue
    values.sort((a, b) => a - b)
    const middle = values.length / 2
    best[tick] = values.at(-1)!
    median[tick] =
      values.length % 2 ? values[Math.floor(middle)]! : (values[middle - 1]! + values[middle]!) / 2
  }
  return { best, median }
}

/** Smallest and largest finite value of all members, or null when there is none. */
export function extent(columns: readonly Float64Array[]): [number, number] | null {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const column of columns) {
    for (const value of column) {
      if (!Number.isFinite(value)) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return low <= high ? [low, high] : null
}

/** The range of the finite values without the outermost share on either side, so that an outlier does not flatten all. */
export function robustExtent(columns: readonly Float64Array[], share = 0.02): [number, number] | null {
  const values = columns.flatMap((column) => Array.from(column).filter(Number.isFinite)).sort((a, b) => a - b)
  if (values.length === 0) return null
  const skipped = Math.floor(values.length * share)
  return [values[skipped]!, values[values.length - 1 - skipped]!]
}

/** The last finite value of a column, or NaN. */
export function lastFinite(column: Float64Array | undefined): number {
  return column?.findLast(Number.isFinite) ?? Number.NaN
}

/** How many values a chart cannot draw because they are NaN or infinite, not counting members without any value yet. */
export function countNonFinite(series: Series): number {
  let count = 0
  for (const column of series.columns) {
    let seen = false
    for (const value of column) {
      if (Number.isFinite(value)) seen = true
      else if (seen || Math.abs(value) === Number.POSITIVE_INFINITY) count += 1
    }
  }
  return count
}

/** Index of the tick closest to `position`, or -1 when there is none. */
export function nearestTick(positionsOfTicks: Float64Array, position: number): number {
  const before = tickAt(positionsOfTicks, position)
  if (before < 0) return positionsOfTicks.length ? 0 : -1
  const after = positionsOfTicks[before + 1]
  return after !== undefined && after - position < position - positionsOfTicks[before]! ? before + 1 : before
}

/** Index of the last tick at or before `position`, or -1. */
export function tickAt(positionsOfTicks: Float64Array, position: number): number {
  let low = 0
  let high = positionsOfTicks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (positionsOfTicks[middle]! <= position) low = middle + 1
    else high = middle
  }
  return low - 1
}
