/**
 * Where everything of the lineage river lies, in pixels. x is time, y is one lane a slot; a segment is a bar cut at the
 * evaluations, an exploit is an arc from the donor's lane to the receiver's. Pure: no canvas, no colours, no theme.
 */

import { exploits, type Segment } from "@/lib/lineage/segments"

export interface Frame {
  left: number
  right: number
  top: number
  laneHeight: number
}

export interface LineageInput {
  segments: readonly Segment[]
  populationSize: number
  endStep: number
  /** Steps of the ticks at which bars change colour, rising. */
  ticks: Float64Array
  /** Pixel of a step; monotone. */
  toPixel: (step: number) => number
  frame: Frame
}

export interface Lane {
  slot: number
  top: number
  middle: number
  height: number
}

export interface Piece {
  from: number
  to: number
  /** Tick whose value holds for this piece (the evaluation at its end), or null while that has not been made. */
  tick: number | null
  fromStep: number
  toStep: number
}

export interface Bar {
  segment: Segment
  left: number
  right: number
  top: number
  height: number
  pieces: readonly Piece[]
}

export interface Arc {
  parent: number
  child: number
  step: number
  x: number
  /** How far before `x` the arc leaves the donor. */
  reach: number
  fromY: number
  toY: number
}

export interface LineageLayout {
  lanes: readonly Lane[]
  bars: readonly Bar[]
  arcs: readonly Arc[]
  height: number
}

/** Lane height that suits a population, so that eight members breathe and eighty still fit on a screen. */
export function laneHeightFor(populationSize: number): number {
  return Math.min(32, Math.max(8, Math.round(320 / Math.max(1, populationSize))))
}

export function layoutLineage(input: LineageInput): LineageLayout {
  const { frame, segments } = input
  const lanes = Array.from({ length: input.populationSize }, (_, slot) => lane(slot, frame))
  const bars = segments.flatMap((segment) => bar(segment, lanes[segment.slot], input))
  return {
    lanes,
    bars,
    arcs: arcsOf(input, lanes),
    height: frame.top + input.populationSize * frame.laneHeight,
  }
}

function arcsOf({ segments, frame, toPixel }: LineageInput, lanes: readonly Lane[]): Arc[] {
  const slotOf = new Map(segments.map((segment) => [segment.id, segment.slot]))
  const births = exploits(segments)
  const longest = shortestGap(births.map((child) => toPixel(child.start_step))) * 0.6
  return births.flatMap((child) => {
    const donor = lanes[slotOf.get(child.parent!) ?? -1]
    const receiver = lanes[child.slot]
    const x = toPixel(child.start_step)
    if (!donor || !receiver || x < frame.left || x > frame.right) return []
    const wanted = 14 + Math.min(34, Math.abs(receiver.middle - donor.middle) * 0.3)
    return [
      {
        parent: child.parent!,
        child: child.id,
        step: child.start_step,
        x,
        reach: Math.min(x - frame.left, longest, wanted),
        fromY: donor.middle,
        toY: receiver.middle,
      },
    ]
  })
}

/** Distance between the two closest moments of selection, so that no arc reaches back into the one before. */
function shortestGap(pixels: readonly number[]): number {
  const moments = [...new Set(pixels)].sort((a, b) => a - b)
  return moments.reduce(
    (gap, moment, index) => (index === 0 ? gap : Math.min(gap, moment - moments[index - 1]!)),
    Number.POSITIVE_INFINITY,
  )
}

function lane(slot: number, frame: Frame): Lane {
  const top = frame.top + slot * frame.laneHeight
  return { slot, top, middle: top + frame.laneHeight / 2, height: frame.laneHeight }
}

function bar(
  segment: Segment,
  place: Lane | undefined,
  { frame, toPixel, endStep, ticks }: LineageInput,
): Bar[] {
  if (!place) return []
  const endOfLife = segment.end_step ?? endStep
  const clamp = (pixel: number) => Math.min(frame.right, Math.max(frame.left, pixel))
  const left = clamp(toPixel(segment.start_step))
  const right = clamp(toPixel(endOfLife))
  if (right <= left) return []
  const height = Math.max(3, Math.round(frame.laneHeight * 0.5))
  const pieces = cut(segment.start_step, endOfLife, ticks)
    .map((piece) => ({ ...piece, from: clamp(toPixel(piece.fromStep)), to: clamp(toPixel(piece.toStep)) }))
    .filter((piece) => piece.to > piece.from)
  return [{ segment, left, right, top: place.middle - height / 2, height, pieces }]
}

function cut(from: number, to: number, ticks: Float64Array): Pick<Piece, "fromStep" | "toStep" | "tick">[] {
  const pieces: Pick<Piece, "fromStep" | "toStep" | "tick">[] = []
  let start = from
  ticks.forEach((step, tick) => {
    if (step <= from || step > to) return
    pieces.push({ fromStep: start, toStep: step, tick })
    start = step
  })
  if (start < to) pieces.push({ fromStep: start, toStep: to, tick: null })
  return pieces
}

/** The segment under a point: the bar of its lane at that time. The whole lane counts, not only the thin bar. */
export function segmentAt(layout: LineageLayout, x: number, y: number): Segment | null {
  const hit = layout.lanes.find((place) => y >= place.top && y < place.top + place.height)
  if (!hit) return null
  const under = layout.bars.find((each) => each.segment.slot === hit.slot && x >= each.left && x < each.right)
  return under?.segment ?? null
}
