/**
 * The tree of living members, as a timeline layout: x is time, y is one lane per living member, ordered so that
 * branches never cross. What died out is left out. A branch is as thick as it has living descendants.
 */

import {
  type Arc,
  type Bar,
  barBetween,
  type Lane,
  type LineageInput,
  type LineageLayout,
  laneAtRow,
} from "@/lib/lineage/layoutLineage"
import type { Span } from "@/lib/lineage/spans"

/** The way from where a line of descent parts from its relatives to the living member in which it ends. */
interface Line {
  chain: readonly Span[]
  /** Latest first. */
  branches: readonly Line[]
}

export function layoutTree(input: LineageInput): LineageLayout {
  const rows = linesOfLiving(input.spans).flatMap(inOrder)
  const lanes = rows.map(({ chain }, row) => laneAtRow(chain.at(-1)!.slot, row, input.frame))
  const laneOf = new Map(rows.flatMap(({ chain }, row) => chain.map(({ id }) => [id, lanes[row]!] as const)))
  return {
    lanes,
    bars: rows.flatMap((line, row) => barsOf(line, lanes[row]!, input, rows.length)),
    arcs: rows.flatMap(({ chain }) => arcsOf(chain, laneOf, input)),
    height: input.frame.top + rows.length * input.frame.laneHeight,
  }
}

/** One for each founder with living descendants. */
function linesOfLiving(spans: readonly Span[]): Line[] {
  const index = new Map(spans.map((span) => [span.id, span]))
  const surviving = new Set<Span>()
  for (const span of spans) {
    if (span.end_step !== null) continue
    let current: Span | undefined = span
    while (current && !surviving.has(current)) {
      surviving.add(current)
      current = current.parent === null ? undefined : index.get(current.parent)
    }
  }
  const children = new Map<number, Span[]>()
  const roots: Span[] = []
  for (const span of [...surviving].sort((a, b) => a.start_step - b.start_step || a.id - b.id)) {
    const parent = span.parent === null ? undefined : index.get(span.parent)
    if (!parent) roots.push(span)
    else children.set(parent.id, [...(children.get(parent.id) ?? []), span])
  }
  return roots.sort((a, b) => a.slot - b.slot).map((root) => lineFrom(root, children))
}

/** A span that lives on ends its line; in one that ended, the child born last takes the line over. */
function lineFrom(first: Span, children: ReadonlyMap<number, Span[]>): Line {
  const chain = [first]
  const leaving: Span[] = []
  while (chain.at(-1)!.end_step !== null) {
    const born = children.get(chain.at(-1)!.id)!
    leaving.push(...born.slice(0, -1))
    chain.push(born.at(-1)!)
  }
  leaving.push(...(children.get(chain.at(-1)!.id) ?? []))
  return { chain, branches: leaving.reverse().map((branch) => lineFrom(branch, children)) }
}

/** Later branches lie closer to their line, so an earlier one passes below them without crossing. */
function inOrder(line: Line): Line[] {
  return [line, ...line.branches.flatMap(inOrder)]
}

function descendants(line: Line): number {
  return 1 + line.branches.reduce((sum, branch) => sum + descendants(branch), 0)
}

/** One bar for each stretch of a span's life with a constant number of living descendants. */
function barsOf(line: Line, lane: Lane, input: LineageInput, members: number): Bar[] {
  let count = descendants(line)
  const losses = [...line.branches].reverse().map((branch) => ({
    step: branch.chain[0]!.start_step,
    parent: branch.chain[0]!.parent,
    lost: descendants(branch),
  }))
  return line.chain.flatMap((span, place) => {
    const end = line.chain[place + 1]?.start_step ?? input.endStep
    const bars: Bar[] = []
    let from = span.start_step
    for (const { step, lost } of losses.filter(({ parent }) => parent === span.id)) {
      bars.push(...barBetween(span, from, step, lane, thickness(count, members, input), input))
      from = step
      count -= lost
    }
    return [...bars, ...barBetween(span, from, end, lane, thickness(count, members, input), input)]
  })
}

function thickness(count: number, members: number, { frame }: LineageInput): number {
  const thinnest = 3
  const thickest = Math.max(thinnest, frame.laneHeight * 0.5)
  return thinnest + (thickest - thinnest) * Math.sqrt((count - 1) / Math.max(1, members - 1))
}

/** A connector at each copy: down to another lane, or a point where a line passes on within its own. */
function arcsOf(
  chain: readonly Span[],
  laneOf: ReadonlyMap<number, Lane>,
  { spans, toPixel, frame }: LineageInput,
): Arc[] {
  const slots = new Map(spans.map(({ id, slot }) => [id, slot]))
  return chain.flatMap((child) => {
    const x = toPixel(child.start_step)
    const from = child.parent === null ? undefined : laneOf.get(child.parent)
    const isCopy = child.parent !== null && slots.get(child.parent) !== child.slot
    if (!from || !isCopy || x < frame.left || x > frame.right) return []
    return [
      {
        parent: child.parent!,
        child: child.id,
        step: child.start_step,
        x,
        reach: 0,
        dense: false,
        fromY: from.middle,
        toY: laneOf.get(child.id)!.middle,
      },
    ]
  })
}
