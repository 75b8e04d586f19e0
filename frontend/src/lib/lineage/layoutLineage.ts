/**
 * The pixel layout of the lineage timeline. x is time, y is one lane per slot; a span is a bar cut at the
 * evaluations, an exploit is an arc from the donor's lane to the receiver's. Pure: no canvas, no colours, no theme.
 */

import { exploits, type Span } from "@/lib/lineage/spans"

export interface Frame {
  left: number
  right: number
  top: number
  laneHeight: number
}

export interface LineageInput {
  spans: readonly Span[]
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
  /** Its place from above. */
  row: number
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
  span: Span
  lane: Lane
  left: number
  right: number
  top: number
  height: number
  pieces: readonly Piece[]
  /** Where its member diverged, or null. */
  divergedAt: number | null
}

export interface Arc {
  parent: number
  child: number
  step: number
  x: number
  /** How far before `x` the arc leaves the donor. */
  reach: number
  /** So close to the next that it would hide the bars; zooming in gives it room. */
  dense: boolean
  fromY: number
  toY: number
}

export interface LineageLayout {
  lanes: readonly Lane[]
  bars: readonly Bar[]
  arcs: readonly Arc[]
  height: number
}

const DENSE_REACH = 8

/** Lane height that suits a population, so that eight members have room and eighty still fit on a screen. */
export function laneHeightFor(populationSize: number): number {
  return Math.min(32, Math.max(8, Math.round(320 / Math.max(1, populationSize))))
}

export function layoutLineage(input: LineageInput): LineageLayout {
  const { frame, spans } = input
  const lanes = Array.from({ length: input.populationSize }, (_, slot) => laneAtRow(slot, slot, frame))
  const height = Math.max(3, Math.round(frame.laneHeight * 0.5))
  const bars = spans.flatMap((span) => {
    const lane = lanes[span.slot]
    if (!lane) return []
    return barBetween(span, span.start_step, span.end_step ?? input.endStep, lane, height, input)
  })
  return {
    lanes,
    bars,
    arcs: arcsOf(input, lanes),
    height: frame.top + input.populationSize * frame.laneHeight,
  }
}

function arcsOf({ spans, frame, toPixel }: LineageInput, lanes: readonly Lane[]): Arc[] {
  const slotOf = new Map(spans.map((span) => [span.id, span.slot]))
  const births = exploits(spans)
  const longest = shortestGap(births.map((child) => toPixel(child.start_step))) * 0.6
  return births.flatMap((child) => {
    const donor = lanes[slotOf.get(child.parent!) ?? -1]
    const receiver = lanes[child.slot]
    const x = toPixel(child.start_step)
    if (!donor || !receiver || x < frame.left || x > frame.right) return []
    const wanted = 14 + Math.min(34, Math.abs(receiver.middle - donor.middle) * 0.3)
    const reach = Math.min(x - frame.left, longest, wanted)
    return [
      {
        parent: child.parent!,
        child: child.id,
        step: child.start_step,
        x,
        reach,
        dense: reach < DENSE_REACH,
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

export function laneAtRow(slot: number, row: number, frame: Frame): Lane {
  const top = frame.top + row * frame.laneHeight
  return { slot, row, top, middle: top + frame.laneHeight / 2, height: frame.laneHeight }
}

/** The part of a span's life between two steps, unless it is out of sight. */
export function barBetween(
  span: Span,
  from: number,
  to: number,
  lane: Lane,
  height: number,
  { frame, toPixel, ticks }: LineageInput,
): Bar[] {
  const clamp = (pixel: number) => Math.min(frame.right, Math.max(frame.left, pixel))
  const left = clamp(toPixel(from))
  const right = clamp(toPixel(to))
  if (right <= left) return []
  const pieces = cut(from, to, ticks)
    .map((piece) => ({ ...piece, from: clamp(toPixel(piece.fromStep)), to: clamp(toPixel(piece.toStep)) }))
    .filter((piece) => piece.to > piece.from)
  const step = span.diverged?.step
  const divergedAt = step === undefined || step < from || step > to ? null : clamp(toPixel(step))
  return [{ span, lane, left, right, top: lane.middle - height / 2, height, pieces, divergedAt }]
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

/** The bar under a point: that of its lane at that time. The whole lane counts, not only the thin bar. */
export function barAt(layout: LineageLayout, x: number, y: number): Bar | null {
  const hit = layout.lanes.find((place) => y >= place.top && y < place.top + place.height)
  return layout.bars.find(({ lane, left, right }) => lane === hit && x >= left && x < right) ?? null
}
