/** The ancestry of a selected span, prepared for drawing; the service computes the path itself. */

import type { Ancestry } from "@/api/types"
import type { Lineage, Span } from "@/lib/lineage/spans"
import type { Series } from "@/lib/series"

/** The part of an ancestor's life that its descendant shares. */
export interface Stretch {
  span: Span
  from: number
  to: number
}

/** The stretches along an ancestry: they cover its past once, without gaps. The last one grows while its member lives. */
export function stretchesOf({ path }: Ancestry, { spans, end_step }: Lineage): Stretch[] {
  const index = new Map(spans.map((span) => [span.id, span]))
  return path.flatMap((ancestor, place) => {
    const span = index.get(ancestor.span)
    if (!span) return []
    const to = place === path.length - 1 ? (span.end_step ?? end_step) : ancestor.end_step
    return [{ span, from: ancestor.start_step, to }]
  })
}

/**
 * The series of a descendant as one continuous line: each tick is read from the slot in which its ancestor lived then.
 * Aligned with the ticks of the series; NaN where the descendant has no value.
 */
export function ancestralColumn(stretches: readonly Stretch[], series: Series): Float64Array {
  const column = new Float64Array(series.steps.length).fill(Number.NaN)
  for (const { span, from, to } of stretches) {
    const values = series.columns[span.slot]
    if (!values) continue
    series.steps.forEach((step, tick) => {
      // An evaluation at the step of a birth was made before it: it belongs to the parent's stretch.
      const afterBirth = span.parent === null ? step >= from : step > from
      if (afterBirth && step <= to) column[tick] = values[tick]!
    })
  }
  return column
}

export interface ScheduleStep {
  from: number
  to: number
  value: number
  /** What the birth of this stretch did to the value: `inherit`, `x1.2`, `resample`, `draw`, … */
  change: string
  span: number
}

/** The values of one hyper-parameter that a descendant was actually trained with. */
export function schedule(stretches: readonly Stretch[], name: string): ScheduleStep[] {
  return stretches.flatMap(({ span, from, to }) => {
    const value = span.hyperparams[name]
    return value === undefined ? [] : [{ from, to, value, change: span.changes[name] ?? "", span: span.id }]
  })
}

export interface BandStep {
  from: number
  to: number
  low: number
  high: number
}

/** Smallest and largest value of a hyper-parameter over the members alive, between each two births. */
export function populationBand(spans: readonly Span[], name: string, endStep: number): BandStep[] {
  const cuts = [...new Set([...spans.map((span) => span.start_step), endStep])].sort((a, b) => a - b)
  return cuts.slice(0, -1).flatMap((from, index) => {
    const values = spans
      .filter((span) => span.start_step <= from && (span.end_step ?? Number.POSITIVE_INFINITY) > from)
      .map((span) => span.hyperparams[name])
      .filter((value) => value !== undefined)
    if (values.length === 0) return []
    return [{ from, to: cuts[index + 1]!, low: Math.min(...values), high: Math.max(...values) }]
  })
}

/** The lanes along a line of descent; consecutive spans in one lane count once. */
export function lanesOf(stretches: readonly Stretch[]): number[] {
  return stretches.map(({ span }) => span.slot).filter((slot, index, slots) => slot !== slots[index - 1])
}
