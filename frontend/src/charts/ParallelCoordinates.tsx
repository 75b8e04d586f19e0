import { type KeyboardEvent, type PointerEvent, useRef } from "react"
import type { SpanOutcome } from "@/api/types"
import { type Axis, type Brushes, type ColourClass, placeOn, sayValue, ticksOf, valueAt } from "@/lib/explain"
import { formatName } from "@/lib/format"
import { useWidth } from "@/lib/useSize"

interface ParallelCoordinatesProps {
  axes: readonly Axis[]
  /** Those within all brushes, by colour. */
  classes: readonly ColourClass[]
  /** Those outside, drawn behind. */
  others: readonly SpanOutcome[]
  brushes: Brushes
  label: string
  onBrush: (key: string, brush: readonly [number, number] | null) => void
}

const HEIGHT = 340
const FRAME = { left: 64, right: 64, top: 46, bottom: 26 }
/** An axis needs this much for its name; narrower charts scroll. */
const ROOM = 118
/** A drag shorter than this share of an axis is a click, which clears the brush. */
const SHORTEST = 0.02
const STEP = 0.05

/** One line per span across all axes. Dragging along an axis, or its two handles by keys, keeps what lies there. */
export function ParallelCoordinates(props: ParallelCoordinatesProps) {
  const { axes, classes, others, brushes, label, onBrush } = props
  const [host, width] = useWidth<HTMLDivElement>()
  const wide = Math.max(width, FRAME.left + FRAME.right + ROOM * (axes.length - 1))
  const x = (index: number) =>
    axes.length === 1
      ? wide / 2
      : FRAME.left + (index * (wide - FRAME.left - FRAME.right)) / (axes.length - 1)
  return (
    <div className="overflow-x-auto" ref={host}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn
        <svg aria-label={label} className="block" height={HEIGHT} role="group" width={wide}>
          <path className="fill-none stroke-line" d={linesOf(others, axes, x)} strokeWidth={1} />
          {classes.map(({ colour, spans }) => (
            <path
              className={colour ? "fill-none" : "fill-none stroke-line-strong"}
              d={linesOf(spans, axes, x)}
              data-testid="coordinates"
              key={colour ?? "unknown"}
              opacity={0.75}
              stroke={colour}
              strokeWidth={1.5}
            />
          ))}
          {axes.map((axis, index) => (
            <BrushedAxis
              axis={axis}
              brush={brushes[axis.key]}
              key={axis.key}
              onBrush={(brush) => onBrush(axis.key, brush)}
              x={x(index)}
            />
          ))}
        </svg>
      )}
    </div>
  )
}

function y(place: number): number {
  return HEIGHT - FRAME.bottom - place * (HEIGHT - FRAME.bottom - FRAME.top)
}

/** A span without a place on an axis leaves a gap there. */
function linesOf(spans: readonly SpanOutcome[], axes: readonly Axis[], x: (index: number) => number): string {
  let path = ""
  for (const span of spans) {
    let isDrawing = false
    axes.forEach((axis, index) => {
      const place = placeOn(axis, span)
      if (Number.isNaN(place)) {
        isDrawing = false
        return
      }
      path += `${isDrawing ? "L" : "M"}${x(index).toFixed(1)} ${y(place).toFixed(1)}`
      isDrawing = true
    })
  }
  return path
}

interface BrushedAxisProps {
  axis: Axis
  x: number
  brush: readonly [number, number] | undefined
  onBrush: (brush: readonly [number, number] | null) => void
}

function BrushedAxis({ axis, x, brush, onBrush }: BrushedAxisProps) {
  const start = useRef<number | null>(null)
  const [low, high] = brush ?? [0, 1]
  const placeOf = (event: PointerEvent<SVGRectElement>) => {
    const top = event.currentTarget.ownerSVGElement!.getBoundingClientRect().top
    const place = (HEIGHT - FRAME.bottom - (event.clientY - top)) / (HEIGHT - FRAME.bottom - FRAME.top)
    return Math.min(1, Math.max(0, place))
  }
  const between = (from: number, to: number) => onBrush([Math.min(from, to), Math.max(from, to)])
  return (
    <g>
      <text className="fill-ink font-medium text-[12px]" textAnchor="middle" x={x} y={16}>
        {formatName(axis.key)}
      </text>
      <line className="stroke-line-strong" x1={x} x2={x} y1={y(0)} y2={y(1)} />
      {ticksOf(axis)
        .filter(({ place }) => axis.names || place !== 0.5)
        .map(({ place, text }) => (
          <text
            className="numeric fill-ink-soft stroke-[3px] stroke-surface text-[11px] [paint-order:stroke]"
            dy={place > 0 && place < 1 ? "0.32em" : undefined}
            key={place}
            textAnchor={place > 0 && place < 1 ? "start" : "middle"}
            x={place > 0 && place < 1 ? x + 9 : x}
            y={place === 1 ? FRAME.top - 10 : place === 0 ? HEIGHT - 8 : y(place)}
          >
            {text}
          </text>
        ))}
      <rect
        className="cursor-crosshair fill-transparent"
        data-testid={`axis-${axis.key}`}
        height={y(0) - y(1) + 16}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          start.current = placeOf(event)
        }}
        onPointerMove={(event) => {
          if (start.current === null) return
          const here = placeOf(event)
          if (Math.abs(here - start.current) >= SHORTEST) between(start.current, here)
        }}
        onPointerUp={(event) => {
          if (start.current !== null && Math.abs(placeOf(event) - start.current) < SHORTEST) onBrush(null)
          start.current = null
        }}
        style={{ touchAction: "none" }}
        width={32}
        x={x - 16}
        y={y(1) - 8}
      />
      {brush && (
        <rect
          className="pointer-events-none fill-accent opacity-25"
          height={Math.max(2, y(low) - y(high))}
          width={14}
          x={x - 7}
          y={y(high)}
        />
      )}
      <Handle
        axis={axis}
        end="lower"
        onMove={(place) => between(Math.min(place, high), high)}
        place={low}
        x={x}
      />
      <Handle
        axis={axis}
        end="upper"
        onMove={(place) => between(low, Math.max(place, low))}
        place={high}
        x={x}
      />
    </g>
  )
}

interface HandleProps {
  axis: Axis
  end: "lower" | "upper"
  place: number
  x: number
  onMove: (place: number) => void
}

const MOVES: Record<string, (place: number) => number> = {
  ArrowUp: (place) => place + STEP,
  ArrowRight: (place) => place + STEP,
  ArrowDown: (place) => place - STEP,
  ArrowLeft: (place) => place - STEP,
  PageUp: (place) => place + 4 * STEP,
  PageDown: (place) => place - 4 * STEP,
  Home: () => 0,
  End: () => 1,
}

function Handle({ axis, end, place, x, onMove }: HandleProps) {
  function onKeyDown(event: KeyboardEvent<SVGGElement>) {
    const move = MOVES[event.key]
    if (!move) return
    event.preventDefault()
    onMove(Math.min(1, Math.max(0, move(place))))
  }
  const value = valueAt(axis, place)
  return (
    <g
      aria-label={`${formatName(axis.key)}, ${end} end`}
      aria-orientation="vertical"
      aria-valuemax={axis.high}
      aria-valuemin={axis.low}
      aria-valuenow={value}
      aria-valuetext={sayValue(axis, axis.names ? Math.round(value) : value)}
      className="group pointer-events-none outline-none"
      onKeyDown={onKeyDown}
      role="slider"
      tabIndex={0}
    >
      <rect
        className="fill-surface stroke-ink-soft group-focus-visible:fill-accent group-focus-visible:stroke-accent"
        height={5}
        rx={2}
        width={16}
        x={x - 8}
        y={y(place) - 2.5}
      />
    </g>
  )
}
