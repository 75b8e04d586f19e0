/** Paints a lineage layout on a canvas. Knows colours and pixels, nothing about time or ancestry. */

import { memberMark } from "@/lib/colour"
import { formatSlot } from "@/lib/format"
import type { Arc, Bar, Lane, LineageLayout, Piece } from "@/lib/lineage/layoutLineage"
import type { Palette } from "@/lib/palette"

export interface TimelinePaint {
  palette: Palette
  width: number
  left: number
  right: number
  /** Colour of a piece of a bar, or null while its value is not known. */
  colourOf: (bar: Bar, piece: Piece) => string | null
  /** Part of each bar, in pixels, that the selected descendant shares; by span. Null without a selection. */
  lit: ReadonlyMap<number, { from: number; to: number }> | null
  /** Text at the end of a lane: the last return of its member. */
  laneNotes: readonly string[]
  /** Vertical lines: the ticks of the shared x-axis. */
  gridLines: readonly number[]
  /** Dashed vertical lines in front of the bars: interruptions. */
  marks: readonly number[]
  /** Lanes are so thin that arcs are drawn faintly and only every fifth lane is named. */
  crowded: boolean
  /** Bars are separate, each one member's life; otherwise they join into branches. */
  apart: boolean
}

const FADED = 0.16

export function paintTimeline(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  paint: TimelinePaint,
): void {
  context.clearRect(0, 0, paint.width, layout.height + 40)
  paintGrid(context, layout, paint)
  paintLanes(context, layout, paint)
  for (const bar of layout.bars) paintBar(context, bar, paint)
  for (const bar of layout.bars) if (bar.divergedAt !== null) paintDivergence(context, bar, paint)
  for (const arc of layout.arcs) if (!isLit(arc, paint)) paintArc(context, arc, paint, false)
  for (const arc of layout.arcs) if (isLit(arc, paint)) paintArc(context, arc, paint, true)
  paintMarks(context, layout, paint)
}

function isLit(arc: Arc, { lit }: TimelinePaint): boolean {
  return Boolean(lit?.has(arc.child) && lit.has(arc.parent))
}

function paintGrid(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  { palette, gridLines }: TimelinePaint,
): void {
  context.strokeStyle = palette.line
  context.lineWidth = 1
  context.beginPath()
  for (const x of gridLines) {
    context.moveTo(Math.round(x) + 0.5, 0)
    context.lineTo(Math.round(x) + 0.5, layout.height)
  }
  context.stroke()
}

function paintMarks(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  { palette, left, right, marks }: TimelinePaint,
): void {
  context.strokeStyle = palette.warn
  context.lineWidth = 1.5
  context.setLineDash([5, 4])
  context.beginPath()
  for (const x of marks.filter((mark) => mark >= left && mark <= right)) {
    context.moveTo(x, 0)
    context.lineTo(x, layout.height)
  }
  context.stroke()
  context.setLineDash([])
}

function paintLanes(context: CanvasRenderingContext2D, layout: LineageLayout, paint: TimelinePaint): void {
  for (const lane of layout.lanes) {
    if (!paint.crowded || lane.row % 5 === 0) paintLaneNames(context, lane, paint)
  }
}

function paintLaneNames(
  context: CanvasRenderingContext2D,
  { slot, middle, height }: Lane,
  paint: TimelinePaint,
): void {
  const { palette, left, right, laneNotes } = paint
  context.textBaseline = "middle"
  context.font = "600 11px Inter, system-ui, sans-serif"
  context.textAlign = "right"
  context.fillStyle = palette["ink-soft"]
  context.fillText(formatSlot(slot), left - 18, middle + 0.5)
  context.fillStyle = memberMark(slot, palette.theme).colour
  context.fillRect(left - 12, middle - Math.min(5, height / 3), 4, Math.min(10, (2 * height) / 3))
  context.font = "11px Inter, system-ui, sans-serif"
  context.textAlign = "left"
  context.fillStyle = palette["ink-soft"]
  context.fillText(laneNotes[slot] ?? "", right + 7, middle + 0.5)
}

function paintBar(context: CanvasRenderingContext2D, bar: Bar, paint: TimelinePaint): void {
  const shared = paint.lit?.get(bar.span.id)
  // A member that was replaced stops short of its slot's next one.
  const gap = paint.apart && bar.span.end_step !== null ? 2 : 0
  const width = Math.max(1, bar.right - bar.left - gap)
  context.save()
  context.beginPath()
  context.roundRect(
    bar.left,
    bar.top,
    width,
    bar.height,
    paint.apart ? Math.min(bar.height / 2, width / 2, 5) : 0,
  )
  context.clip()
  context.globalAlpha = paint.lit ? FADED : 1
  fillPieces(context, bar, paint)
  if (bar.divergedAt !== null) {
    // Set aside from here on: nothing was learned, so nothing is coloured.
    context.fillStyle = paint.palette.sunken
    context.fillRect(bar.divergedAt, bar.top, bar.right - bar.divergedAt, bar.height)
  }
  if (shared) {
    context.beginPath()
    context.rect(shared.from, bar.top, shared.to - shared.from, bar.height)
    context.clip()
    context.globalAlpha = 1
    fillPieces(context, bar, paint)
  }
  context.restore()
}

/** A cross where a member diverged. */
function paintDivergence(context: CanvasRenderingContext2D, bar: Bar, { palette }: TimelinePaint): void {
  const x = bar.divergedAt!
  const y = bar.top + bar.height / 2
  const arm = Math.min(5, bar.height / 2)
  for (const [colour, width] of [
    [palette.surface, 4.5],
    [palette.bad, 2],
  ] as const) {
    context.strokeStyle = colour
    context.lineWidth = width
    context.lineCap = "round"
    context.beginPath()
    context.moveTo(x - arm, y - arm)
    context.lineTo(x + arm, y + arm)
    context.moveTo(x - arm, y + arm)
    context.lineTo(x + arm, y - arm)
    context.stroke()
  }
}

function fillPieces(context: CanvasRenderingContext2D, bar: Bar, paint: TimelinePaint): void {
  for (const piece of bar.pieces) {
    context.fillStyle = paint.colourOf(bar, piece) ?? paint.palette.line
    // Half a pixel of overlap hides the seam that antialiasing would leave between neighbours.
    context.fillRect(piece.from, bar.top, piece.to - piece.from + 0.5, bar.height)
  }
}

function paintArc(context: CanvasRenderingContext2D, arc: Arc, paint: TimelinePaint, lit: boolean): void {
  const { palette } = paint
  const quiet = !lit && paint.crowded
  const dense = !lit && arc.dense
  const width = lit ? 2.75 : quiet || dense ? 0.9 : 1.5
  context.globalAlpha = lit ? 1 : paint.lit ? 0.1 : dense ? 0.25 : quiet ? 0.75 : 1
  context.lineCap = "round"
  traceArc(context, arc)
  if (!quiet && !dense) {
    // A rim in the background colour keeps the arc legible on bars of any colour.
    context.strokeStyle = palette.surface
    context.lineWidth = width + 2.5
    context.stroke()
  }
  context.strokeStyle = lit ? palette.accent : palette.ink
  context.fillStyle = context.strokeStyle
  context.lineWidth = width
  context.stroke()
  if (!dense) {
    context.beginPath()
    context.arc(arc.x, arc.toY, lit ? 4.5 : quiet ? 2 : 3.25, 0, 2 * Math.PI)
    context.fill()
    context.strokeStyle = palette.surface
    context.lineWidth = quiet ? 0.5 : 1.25
    context.stroke()
  }
  context.globalAlpha = 1
}

/** A curve from the donor's lane to the receiver's. */
export function traceArc(context: CanvasRenderingContext2D, { x, reach, fromY, toY }: Arc): void {
  context.beginPath()
  context.moveTo(x - reach, fromY)
  context.bezierCurveTo(x - reach * 0.25, fromY, x - reach * 0.75, toY, x, toY)
}

/** Cursor, hovered span and the exploit under the keyboard, on a layer of their own. */
export interface TimelineOverlay {
  cursorX: number | null
  /** The slot that is highlighted everywhere. */
  slot: number | null
  span: number | null
  arc: Arc | null
}

export function paintOverlay(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  overlay: TimelineOverlay,
  paint: TimelinePaint,
): void {
  const { palette, width } = paint
  context.clearRect(0, 0, width, layout.height + 40)
  const lane = layout.lanes.find(({ slot }) => slot === overlay.slot)
  if (lane) paintHighlight(context, lane, paint)
  if (overlay.cursorX !== null) {
    context.strokeStyle = palette["ink-faint"]
    context.lineWidth = 1
    context.setLineDash([3, 3])
    context.beginPath()
    context.moveTo(Math.round(overlay.cursorX) + 0.5, 0)
    context.lineTo(Math.round(overlay.cursorX) + 0.5, layout.height)
    context.stroke()
    context.setLineDash([])
  }
  const bars = layout.bars.filter(({ span }) => span.id === overlay.span)
  if (bars.length > 0) {
    const left = Math.min(...bars.map((bar) => bar.left)) - 1.5
    const right = Math.max(...bars.map((bar) => bar.right)) + 1.5
    const top = Math.min(...bars.map((bar) => bar.top)) - 1.5
    const bottom = Math.max(...bars.map((bar) => bar.top + bar.height)) + 1.5
    context.strokeStyle = palette.ink
    context.lineWidth = 1.5
    context.beginPath()
    context.roundRect(left, top, right - left, bottom - top, 6)
    context.stroke()
  }
  if (overlay.arc) {
    context.strokeStyle = palette.accent
    context.lineWidth = 3
    traceArc(context, overlay.arc)
    context.stroke()
    context.beginPath()
    context.arc(overlay.arc.x, overlay.arc.toY, 6, 0, 2 * Math.PI)
    context.stroke()
  }
}

/** Brackets a lane from above and below, and names it if it is not named already. */
function paintHighlight(context: CanvasRenderingContext2D, lane: Lane, paint: TimelinePaint): void {
  const { palette, left, right, crowded } = paint
  context.fillStyle = memberMark(lane.slot, palette.theme).colour
  context.fillRect(left, lane.top, right - left, 1.5)
  context.fillRect(left, lane.top + lane.height - 1.5, right - left, 1.5)
  if (!crowded || lane.row % 5 === 0) return
  context.fillStyle = palette.surface
  context.fillRect(0, lane.middle - 8, left - 6, 16)
  context.fillRect(right + 4, lane.middle - 8, paint.width - right, 16)
  paintLaneNames(context, lane, paint)
}
