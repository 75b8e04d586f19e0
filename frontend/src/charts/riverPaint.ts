/** Paints a lineage layout on a canvas. Knows colours and pixels, nothing about time or ancestry. */

import { memberMark } from "@/lib/colour"
import { formatSlot } from "@/lib/format"
import type { Arc, Bar, LineageLayout, Piece } from "@/lib/lineage/layoutLineage"
import type { Palette } from "@/lib/palette"

export interface RiverPaint {
  palette: Palette
  width: number
  left: number
  right: number
  /** Colour of a piece of a bar, or null while its value is not known. */
  colourOf: (bar: Bar, piece: Piece) => string | null
  /** Part of each bar, in pixels, that the chosen descendant shares; by segment. Null when nothing is chosen. */
  lit: ReadonlyMap<number, { from: number; to: number }> | null
  /** Text at the end of a lane, such as its member's fitness. */
  laneNotes: readonly string[]
  /** Vertical lines: the ticks of the shared x-axis. */
  gridLines: readonly number[]
  highlighted: number | null
}

const FADED = 0.16

export function paintRiver(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  paint: RiverPaint,
): void {
  context.clearRect(0, 0, paint.width, layout.height + 40)
  paintGrid(context, layout, paint)
  paintLanes(context, layout, paint)
  for (const bar of layout.bars) paintBar(context, bar, paint)
  for (const arc of layout.arcs) if (!isLit(arc, paint)) paintArc(context, arc, paint, false)
  for (const arc of layout.arcs) if (isLit(arc, paint)) paintArc(context, arc, paint, true)
}

function isLit(arc: Arc, { lit }: RiverPaint): boolean {
  return Boolean(lit?.has(arc.child) && lit.has(arc.parent))
}

function paintGrid(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  { palette, gridLines }: RiverPaint,
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

function paintLanes(context: CanvasRenderingContext2D, layout: LineageLayout, paint: RiverPaint): void {
  const { palette, left, right, highlighted, laneNotes } = paint
  const sparse = layout.lanes[0] && layout.lanes[0].height < 12
  context.textBaseline = "middle"
  for (const { slot, top, middle, height } of layout.lanes) {
    if (slot === highlighted) {
      context.fillStyle = palette.sunken
      context.fillRect(left, top, right - left, height)
    }
    context.strokeStyle = palette.line
    context.beginPath()
    context.moveTo(left, Math.round(middle) + 0.5)
    context.lineTo(right, Math.round(middle) + 0.5)
    context.stroke()
    if (sparse && slot % 5 !== 0 && slot !== highlighted) continue
    const faded = highlighted !== null && highlighted !== slot
    context.globalAlpha = faded ? 0.45 : 1
    context.font = "600 11px Inter, system-ui, sans-serif"
    context.textAlign = "right"
    context.fillStyle = memberMark(slot, palette.theme).colour
    context.fillText(formatSlot(slot), left - 10, middle)
    context.font = "11px Inter, system-ui, sans-serif"
    context.textAlign = "left"
    context.fillStyle = palette["ink-soft"]
    context.fillText(laneNotes[slot] ?? "", right + 7, middle)
    context.globalAlpha = 1
  }
}

function paintBar(context: CanvasRenderingContext2D, bar: Bar, paint: RiverPaint): void {
  const shared = paint.lit?.get(bar.segment.id)
  const radius = Math.min(bar.height / 2, (bar.right - bar.left) / 2, 5)
  context.save()
  context.beginPath()
  context.roundRect(bar.left, bar.top, bar.right - bar.left, bar.height, radius)
  context.clip()
  context.globalAlpha = paint.lit ? FADED : 1
  fillPieces(context, bar, paint)
  if (shared) {
    context.beginPath()
    context.rect(shared.from, bar.top, shared.to - shared.from, bar.height)
    context.clip()
    context.globalAlpha = 1
    fillPieces(context, bar, paint)
  }
  context.restore()
  if (bar.segment.end_step !== null && bar.right < paint.right) paintDeath(context, bar, paint)
}

function fillPieces(context: CanvasRenderingContext2D, bar: Bar, paint: RiverPaint): void {
  for (const piece of bar.pieces) {
    context.fillStyle = paint.colourOf(bar, piece) ?? paint.palette["line-strong"]
    // Half a pixel of overlap hides the seam that antialiasing would leave between neighbours.
    context.fillRect(piece.from, bar.top, piece.to - piece.from + 0.5, bar.height)
  }
}

/** A member that was replaced ends in a short bar across its lane. */
function paintDeath(context: CanvasRenderingContext2D, bar: Bar, { palette, lit }: RiverPaint): void {
  context.globalAlpha = lit ? 0.3 : 0.9
  context.strokeStyle = palette["ink-faint"]
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(bar.right - 0.75, bar.top - 2)
  context.lineTo(bar.right - 0.75, bar.top + bar.height + 2)
  context.stroke()
  context.globalAlpha = 1
}

function paintArc(context: CanvasRenderingContext2D, arc: Arc, paint: RiverPaint, lit: boolean): void {
  const { palette } = paint
  context.globalAlpha = lit ? 1 : paint.lit ? 0.14 : 0.6
  context.strokeStyle = lit ? palette.accent : palette["ink-soft"]
  context.fillStyle = context.strokeStyle
  context.lineWidth = lit ? 2.5 : 1.25
  traceArc(context, arc)
  context.stroke()
  context.beginPath()
  context.arc(arc.x, arc.toY, lit ? 4 : 2.75, 0, 2 * Math.PI)
  context.fill()
  context.globalAlpha = 1
}

/** Leaves the donor along its flow and falls into the receiver's lane. */
export function traceArc(context: CanvasRenderingContext2D, { x, reach, fromY, toY }: Arc): void {
  context.beginPath()
  context.moveTo(x - reach, fromY)
  context.bezierCurveTo(
    x - reach * 0.2,
    fromY,
    x - reach * 0.1,
    fromY + (toY - fromY) * 0.15,
    x - reach * 0.05,
    (fromY + toY) / 2,
  )
  context.quadraticCurveTo(x, toY - (toY - fromY) * 0.15, x, toY)
}

/** Cursor, hovered segment and the exploit under the keyboard, on a layer of their own. */
export interface RiverOverlay {
  cursorX: number | null
  segment: number | null
  arc: Arc | null
}

export function paintOverlay(
  context: CanvasRenderingContext2D,
  layout: LineageLayout,
  overlay: RiverOverlay,
  { palette, width }: Pick<RiverPaint, "palette" | "width">,
): void {
  context.clearRect(0, 0, width, layout.height + 40)
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
  const bar = layout.bars.find(({ segment }) => segment.id === overlay.segment)
  if (bar) {
    context.strokeStyle = palette.ink
    context.lineWidth = 1.5
    context.beginPath()
    context.roundRect(bar.left - 1.5, bar.top - 1.5, bar.right - bar.left + 3, bar.height + 3, 6)
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
