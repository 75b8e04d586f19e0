/** Descent: the path to a member, its history along that path, and statistics of the whole population. */

import { exploits, living, type Span } from "@/lib/lineage/spans"
import type { Series } from "@/lib/series"

type Index = ReadonlyMap<number, Span>

function indexOf(spans: readonly Span[]): Index {
  return new Map(spans.map((span) => [span.id, span]))
}

function pathTo(index: Index, id: number): Span[] {
  const path: Span[] = []
  let current = index.get(id)
  while (current) {
    path.push(current)
    current = current.parent === null ? undefined : index.get(current.parent)
  }
  return path.reverse()
}

/** From the founder to the span itself; empty when there is no such span. */
export function ancestryOf(spans: readonly Span[], id: number): Span[] {
  return pathTo(indexOf(spans), id)
}

/** How often a path moves to another slot: its generations. A reset stays in its slot and does not count. */
export function copies(path: readonly Span[]): number {
  return path.filter(({ slot }, place) => place > 0 && path[place - 1]!.slot !== slot).length
}

/** Copies between a living member and its founder, by span id. */
export function generationsOfLiving(spans: readonly Span[]): Map<number, number> {
  const index = indexOf(spans)
  return new Map(living(spans).map(({ id }) => [id, copies(pathTo(index, id))]))
}

/** The part of an ancestor's life that its descendant shares. */
export interface Stretch {
  span: Span
  from: number
  to: number
}

/** Cuts each ancestor where its child on the path was born, so that the stretches cover time once, without gaps. */
export function stitch(path: readonly Span[], endStep: number): Stretch[] {
  return path.map((span, index) => ({
    span,
    from: span.start_step,
    to: path[index + 1]?.start_step ?? span.end_step ?? endStep,
  }))
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

export interface LineageStatistics {
  exploits: number
  founders: number
  foundersAlive: number
  /** Living members of the founder with most descendants, as a share of the population. */
  largestFamily: number
  /** Copies from the latest common ancestor to its most distant living descendant; null while several founders have living descendants. */
  generationsToCommonAncestor: number | null
}

export function lineageStatistics(spans: readonly Span[]): LineageStatistics {
  const index = indexOf(spans)
  const paths = living(spans).map((span) => pathTo(index, span.id))
  const families = new Map<number, number>()
  for (const path of paths) families.set(path[0]!.id, (families.get(path[0]!.id) ?? 0) + 1)
  return {
    exploits: exploits(spans).length,
    founders: spans.filter((span) => span.parent === null).length,
    foundersAlive: families.size,
    largestFamily: paths.length ? Math.max(...families.values()) / paths.length : 0,
    generationsToCommonAncestor: generationsToCommonAncestor(paths),
  }
}

function generationsToCommonAncestor(paths: readonly Span[][]): number | null {
  const [first, ...others] = paths
  if (!first) return null
  let shared = 0
  while (shared < first.length && others.every((path) => path[shared]?.id === first[shared]!.id)) shared += 1
  if (shared === 0) return null
  return Math.max(...paths.map((path) => copies(path.slice(shared - 1))))
}

/** The founder of every span, by span id. */
export function foundersOf(spans: readonly Span[]): Map<number, Span> {
  const founders = new Map<number, Span>()
  for (const span of [...spans].sort((a, b) => a.start_step - b.start_step || a.id - b.id)) {
    const founder = span.parent === null ? span : founders.get(span.parent)
    if (founder) founders.set(span.id, founder)
  }
  return founders
}

/** The lanes along a line of descent; consecutive spans in one lane count once. */
export function lanesOf(path: readonly Span[]): number[] {
  return path.map(({ slot }) => slot).filter((slot, index, slots) => slot !== slots[index - 1])
}
