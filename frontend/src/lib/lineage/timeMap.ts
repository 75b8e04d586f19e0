/** From environment steps to seconds of work and back, by linear interpolation between known moments. */

import type { Span } from "@/lib/lineage/spans"
import type { Series } from "@/lib/series"
import { tickAt } from "@/lib/series"

export interface TimeMap {
  steps: Float64Array
  wall: Float64Array
}

/** Moments known from births, ticks of a series, and the present. */
export function timeMap(spans: readonly Span[], series: Series, endStep: number, endWall: number): TimeMap {
  const moments = new Map<number, number>([[0, 0]])
  for (const span of spans) moments.set(span.start_step, span.start_wall)
  series.steps.forEach((step, tick) => {
    moments.set(step, series.wall[tick]!)
  })
  if (!moments.has(endStep)) moments.set(endStep, endWall)
  const rising = [...moments.entries()].filter(([step]) => step <= endStep).sort(([a], [b]) => a - b)
  return {
    steps: Float64Array.from(rising, ([step]) => step),
    wall: Float64Array.from(rising, ([, wall]) => wall),
  }
}

export function wallOfStep(map: TimeMap, step: number): number {
  return interpolate(map.steps, map.wall, step)
}

export function stepOfWall(map: TimeMap, wall: number): number {
  return interpolate(map.wall, map.steps, wall)
}

function interpolate(from: Float64Array, to: Float64Array, position: number): number {
  const index = tickAt(from, position)
  if (index < 0) return to[0] ?? position
  if (index >= from.length - 1) return to.at(-1)!
  const span = from[index + 1]! - from[index]!
  const weight = span > 0 ? (position - from[index]!) / span : 0
  return to[index]! + (to[index + 1]! - to[index]!) * weight
}
