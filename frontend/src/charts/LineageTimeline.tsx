import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react"
import { paintOverlay, paintTimeline, type TimelinePaint } from "@/charts/timelinePaint"
import type { Cursor } from "@/lib/cursor"
import { type Arc, barAt, type LineageLayout } from "@/lib/lineage/layoutLineage"
import type { Span } from "@/lib/lineage/spans"

interface LineageTimelineProps {
  layout: LineageLayout
  paint: TimelinePaint
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

/** A timeline or a tree: one canvas for what changes with data, one above it for what changes with the pointer. */
export function LineageTimeline(props: LineageTimelineProps) {
  const { layout, paint, cursor, toPixel, toPosition, label, highlighted, onHighlight, onSelect } = props
  const [hover, setHover] = useState<Hover | null>(null)
  const [cursorX, setCursorX] = useState<number | null>(null)
  const keys = useExploitKeys(layout.arcs, onSelect)
  const help = useId()
  const { width, left, right } = paint

  const paintBase = useCallback(
    (context: CanvasRenderingContext2D) => paintTimeline(context, layout, paint),
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
      aria-label="Lineage: step through exploits with the arrow keys"
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
        Left and right arrow step through exploits, Enter shows the ancestry of the child, Escape clears.
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

interface FloatingProps {
  x: number
  y: number
  width: number
  height: number
  children: ReactNode
}

/** A note beside a point that keeps to the chart: it opens to the side with more room. */
function Floating({ x, y, width, height, children }: FloatingProps) {
  const horizontal = x > width / 2 ? { right: width - x + 14 } : { left: x + 14 }
  const vertical = y > height / 2 ? { bottom: height - y + 6 } : { top: y + 6 }
  return (
    <div
      className="pointer-events-none absolute z-20 w-max max-w-[min(300px,70%)] rounded-lg border border-line bg-raised px-3 py-2 text-[13px] shadow-pop"
      style={{ ...horizontal, ...vertical }}
    >
      {children}
    </div>
  )
}

/** A canvas as sharp as the screen: drawn in CSS pixels, stored in device pixels, and redrawn when `paint` changes. */
function useCanvas(
  width: number,
  height: number,
  paint: (context: CanvasRenderingContext2D) => void,
): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext("2d")
    if (!canvas || !context || width === 0) return
    const ratio = window.devicePixelRatio || 1
    const columns = Math.round(width * ratio)
    const rows = Math.round(height * ratio)
    if (canvas.width !== columns || canvas.height !== rows) {
      canvas.width = columns
      canvas.height = rows
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(context)
  }, [width, height, paint])
  return ref
}

interface ExploitKeys {
  /** The exploit under the keyboard, or null. */
  current: Arc | null
  onKeyDown: (event: KeyboardEvent) => void
  leave: () => void
}

/** Arrow keys step through exploits in time; Enter selects the child; Escape clears. */
function useExploitKeys(arcs: readonly Arc[], onSelect: (span: number | null) => void): ExploitKeys {
  const [child, setChild] = useState<number | null>(null)
  const index = arcs.findIndex((arc) => arc.child === child)

  function onKeyDown(event: KeyboardEvent) {
    const moves: Record<string, number> = {
      ArrowRight: Math.min(arcs.length - 1, index + 1),
      ArrowDown: Math.min(arcs.length - 1, index + 1),
      ArrowLeft: index < 0 ? arcs.length - 1 : Math.max(0, index - 1),
      ArrowUp: index < 0 ? arcs.length - 1 : Math.max(0, index - 1),
      Home: 0,
      End: arcs.length - 1,
    }
    const next = moves[event.key]
    if (next !== undefined && arcs[next]) setChild(arcs[next].child)
    else if (event.key === "Enter" && child !== null) onSelect(child)
    else if (event.key === "Escape") {
      setChild(null)
      onSelect(null)
    } else return
    event.preventDefault()
  }

  return { current: arcs[index] ?? null, onKeyDown, leave: () => setChild(null) }
}
