/** Who descends from whom: the path of a descendant, what it lived through, and numbers about the whole population. */

import { exploits, living, type Segment } from "@/lib/lineage/segments"
import type { Series } from "@/lib/series"

type Index = ReadonlyMap<number, Segment>

function indexOf(segments: readonly Segment[]): Index {
  return new Map(segments.map((segment) => [segment.id, segment]))
}

function pathTo(index: Index, id: number): Segment[] {
  const path: Segment[] = []
  let current = index.get(id)
  while (current) {
    path.push(current)
    current = current.parent === null ? undefined : index.get(current.parent)
  }
  return path.reverse()
}

/** From the founder to the segment itself; empty when there is no such segment. */
export function ancestryOf(segments: readonly Segment[], id: number): Segment[] {
  return pathTo(indexOf(segments), id)
}

/** How often a path goes from one slot to another: generations. A reset renews a member, but makes no new one. */
export function copies(path: readonly Segment[]): number {
  return path.filter(({ slot }, place) => place > 0 && path[place - 1]!.slot !== slot).length
}

/** Copies between a living member and its founder, by segment id. */
export function generationsOfLiving(segments: readonly Segment[]): Map<number, number> {
  const index = indexOf(segments)
  return new Map(living(segments).map(({ id }) => [id, copies(pathTo(index, id))]))
}

/** The part of an ancestor's life that its descendant shares. */
export interface Stretch {
  segment: Segment
  from: number
  to: number
}

/** Cuts each ancestor where its child on the path was born, so that the stretches cover time once, without gaps. */
export function stitch(path: readonly Segment[], endStep: number): Stretch[] {
  return path.map((segment, index) => ({
    segment,
    from: segment.start_step,
    to: path[index + 1]?.start_step ?? segment.end_step ?? endStep,
  }))
}

/**
 * The series of a descendant as one continuous line: each tick is read from the slot in which its ancestor lived then.
 * Aligned with the ticks of the series; NaN where the descendant has no value.
 */
export function ancestralColumn(stretches: readonly Stretch[], series: Series): Float64Array {
  const column = new Float64Array(series.steps.length).fill(Number.NaN)
  for (const { segment, from, to } of stretches) {
    const values = series.columns[segment.slot]
    if (!values) continue
    series.steps.forEach((step, tick) => {
      // An evaluation at the step of a birth was made before it: it belongs to the parent's stretch.
      const afterBirth = segment.parent === null ? step >= from : step > from
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
  segment: number
}

/** The values of one hyper-parameter that a descendant really lived through. */
export function schedule(stretches: readonly Stretch[], name: string): ScheduleStep[] {
  return stretches.flatMap(({ segment, from, to }) => {
    const value = segment.hyperparams[name]
    return value === undefined
      ? []
      : [{ from, to, value, change: segment.changes[name] ?? "", segment: segment.id }]
  })
}

export interface BandStep {
  from: number
  to: number
  low: number
  high: number
}

/** Smallest and largest value of a hyper-parameter over the members alive, between each two births. */
export function populationBand(segments: readonly Segment[], name: string, endStep: number): BandStep[] {
  const cuts = [...new Set([...segments.map((segment) => segment.start_step), endStep])].sort((a, b) => a - b)
  return cuts.slice(0, -1).flatMap((from, index) => {
    const values = segments
      .filter(
        (segment) => segment.start_step <= from && (segment.end_step ?? Number.POSITIVE_INFINITY) > from,
      )
      .map((segment) => segment.hyperparams[name])
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
  /** Copies between the youngest living member and the latest ancestor of all; null while several founders live on. */
  generationsToCommonAncestor: number | null
}

export function lineageStatistics(segments: readonly Segment[]): LineageStatistics {
  const index = indexOf(segments)
  const paths = living(segments).map((segment) => pathTo(index, segment.id))
  const families = new Map<number, number>()
  for (const path of paths) families.set(path[0]!.id, (families.get(path[0]!.id) ?? 0) + 1)
  return {
    exploits: exploits(segments).length,
    founders: segments.filter((segment) => segment.parent === null).length,
    foundersAlive: families.size,
    largestFamily: paths.length ? Math.max(...families.values()) / paths.length : 0,
    generationsToCommonAncestor: generationsToCommonAncestor(paths),
  }
}

function generationsToCommonAncestor(paths: readonly Segment[][]): number | null {
  const [first, ...others] = paths
  if (!first) return null
  let shared = 0
  while (shared < first.length && others.every((path) => path[shared]?.id === first[shared]!.id)) shared += 1
  if (shared === 0) return null
  return Math.max(...paths.map((path) => copies(path.slice(shared - 1))))
}

/** The founder of every segment, by segment id. */
export function foundersOf(segments: readonly Segment[]): Map<number, Segment> {
  const founders = new Map<number, Segment>()
  for (const segment of [...segments].sort((a, b) => a.start_step - b.start_step || a.id - b.id)) {
    const founder = segment.parent === null ? segment : founders.get(segment.parent)
    if (founder) founders.set(segment.id, founder)
  }
  return founders
}

/** The lanes that a line of descent went through; a member that was renewed in its own lane is told once. */
export function lanesOf(path: readonly Segment[]): number[] {
  return path.map(({ slot }) => slot).filter((slot, index, slots) => slot !== slots[index - 1])
}
