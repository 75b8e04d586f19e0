import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useState,
} from "react"
import { Floating } from "@/charts/Floating"
import { paintOverlay, paintRiver, type RiverPaint } from "@/charts/riverPaint"
import { useCanvas } from "@/charts/useCanvas"
import { useExploitKeys } from "@/charts/useExploitKeys"
import type { Cursor } from "@/lib/cursor"
import { type Arc, barAt, type LineageLayout } from "@/lib/lineage/layoutLineage"
import type { Span } from "@/lib/lineage/spans"

interface LineageRiverProps {
  layout: LineageLayout
  paint: RiverPaint
  cursor: Cursor
  /** Between positions on the shared axis and pixels. */
  toPixel: (position: number) => number
  toPosition: (pixel: number) => number
  label: string
  highlighted: number | null
  onHighlight: (slot: number | null) => void
  onSelect: (span: number | null) => void
  tooltip: (span: Span, position: number) => ReactNode
  describeExploit: (arc: Arc) => string
}

interface Hover {
  span: Span
  x: number
  y: number
}

/** A river or a tree: one canvas for what changes with data, one above it for what changes with the pointer. */
export function LineageRiver(props: LineageRiverProps) {
  const { layout, paint, cursor, toPixel, toPosition, label, highlighted, onHighlight, onSelect } = props
  const [hover, setHover] = useState<Hover | null>(null)
  const [cursorX, setCursorX] = useState<number | null>(null)
  const keys = useExploitKeys(layout.arcs, onSelect)
  const help = useId()
  const { width, left, right } = paint

  const paintBase = useCallback(
    (context: CanvasRenderingContext2D) => paintRiver(context, layout, paint),
    [layout, paint],
  )
  const base = useCanvas(width, layout.height, paintBase)

  const hovered = hover?.span.id ?? null
  const arc = keys.current
  const paintTop = useCallback(
    (context: CanvasRenderingContext2D) =>
      paintOverlay(context, layout, { cursorX, slot: highlighted, span: hovered, arc }, paint),
    [layout, paint, cursorX, highlighted, hovered, arc],
  )
  const top = useCanvas(width, layout.height, paintTop)

  useEffect(
    () =>
      cursor.subscribe(() => {
        const position = cursor.read()
        setCursorX(position === null ? null : toPixel(position))
      }),
    [cursor, toPixel],
  )

  function placeOf(event: MouseEvent<HTMLDivElement>) {
    const box = event.currentTarget.getBoundingClientRect()
    const x = event.clientX - box.left
    const y = event.clientY - box.top
    return { x, y, bar: barAt(layout, x, y) }
  }

  function onPointerMove(event: PointerEvent<HTMLDivElement>) {
    const { x, y, bar } = placeOf(event)
    setHover(bar && { span: bar.span, x, y })
    onHighlight(bar?.lane.slot ?? null)
    cursor.move(x >= left && x <= right ? toPosition(x) : null)
  }

  function onPointerLeave() {
    setHover(null)
    onHighlight(null)
    cursor.move(null)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: no element stands for a chart that is walked by arrow keys
    <div
      aria-describedby={help}
      aria-label="Lineage, walk through exploits with the arrow keys"
      className="relative rounded-lg"
      data-exploits={layout.arcs.length}
      data-testid="lineage"
      onBlur={keys.leave}
      onClick={(event) => onSelect(placeOf(event).bar?.span.id ?? null)}
      onKeyDown={keys.onKeyDown}
      onPointerLeave={onPointerLeave}
      onPointerMove={onPointerMove}
      role="group"
      style={{ width, height: layout.height, cursor: hover ? "pointer" : "default" }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys, Enter and Escape act here
      tabIndex={0}
    >
      <canvas aria-label={label} className="absolute inset-0 size-full" ref={base} role="img" />
      <div aria-hidden="true" className="pointer-events-none absolute inset-0">
        <canvas className="size-full" ref={top} />
      </div>
      <p className="sr-only" id={help}>
        Left and right arrow step through exploits, Enter shows the ancestry of the newborn, Escape clears.
      </p>
      <p aria-live="polite" className="sr-only">
        {arc && props.describeExploit(arc)}
      </p>
      {hover && (
        <Floating height={layout.height} width={width} x={hover.x} y={hover.y}>
          {props.tooltip(hover.span, toPosition(hover.x))}
        </Floating>
      )}
      {!hover && arc && (
        <Floating height={layout.height} width={width} x={arc.x} y={arc.toY}>
          {props.describeExploit(arc)}
        </Floating>
      )}
    </div>
  )
}
