import { scaleLinear } from "d3-scale"
import { type Ref, useState } from "react"
import { bandPath, extentOf, linePath, nearestIndex } from "@/charts/bandPaths"
import type { Mark } from "@/lib/colour"
import { formatTick, formatValue } from "@/lib/format"
import { usePalette } from "@/lib/palette"
import { useWidth } from "@/lib/useSize"

export interface BandLine extends Mark {
  key: string
  label: string
  x: readonly number[]
  y: readonly (number | null)[]
  low: readonly (number | null)[]
  high: readonly (number | null)[]
  /** What is said of a point beside its value, e.g. "n 3". */
  note?: (index: number) => string
  /** Thin lines behind the band. */
  single?: readonly { key: string; x: readonly number[]; y: readonly number[] }[]
}

interface BandChartProps {
  label: string
  lines: readonly BandLine[]
  xUnit: string
  yUnit: string
  formatX: (value: number) => string
  /** A value that deserves a line of its own. */
  reference?: number
  picture?: Ref<SVGSVGElement>
}

const HEIGHT = 320
/** Lines whose bands can overlap and still be distinguished. */
const FEW = 6
const FRAME = { left: 56, right: 16, top: 24, bottom: 44 }

/** Lines with their intervals. Colours are written into the drawing, so that it can be saved as a picture. */
export function BandChart({ label, lines, xUnit, yUnit, formatX, reference, picture }: BandChartProps) {
  const [host, width] = useWidth<HTMLDivElement>()
  const [place, setPlace] = useState<number | null>(null)
  const palette = usePalette()
  const x = scaleLinear(extentOf(lines.map((line) => line.x)), [FRAME.left, width - FRAME.right])
  const spread = lines.flatMap(({ y, low, high, single = [] }) => [
    y,
    low,
    high,
    ...single.map((one) => one.y),
  ])
  const y = scaleLinear(extentOf(reference === undefined ? spread : [...spread, [reference]]), [
    HEIGHT - FRAME.bottom,
    FRAME.top,
  ]).nice(5)
  const text = { fill: palette["ink-faint"], fontSize: 11, fontFamily: "inherit" }
  const said = place === null ? null : lines.map((line) => sayPoint(line, place)).filter(Boolean)
  return (
    <div ref={host}>
      {width > 0 && (
        <svg
          aria-label={label}
          className="numeric block"
          height={HEIGHT}
          onPointerLeave={() => setPlace(null)}
          onPointerMove={(event) => setPlace(x.invert(event.nativeEvent.offsetX))}
          ref={picture}
          role="img"
          width={width}
        >
          {y.ticks(5).map((value) => (
            <g key={value}>
              <line
                stroke={palette.line}
                x1={FRAME.left}
                x2={width - FRAME.right}
                y1={y(value)}
                y2={y(value)}
              />
              <text dy="0.32em" textAnchor="end" x={FRAME.left - 8} y={y(value)} {...text}>
                {formatTick(value)}
              </text>
            </g>
          ))}
          {x.ticks(Math.max(2, Math.floor(width / 110))).map((value) => (
            <text key={value} textAnchor="middle" x={x(value)} y={HEIGHT - FRAME.bottom + 16} {...text}>
              {formatX(value)}
            </text>
          ))}
          <text textAnchor="end" x={width - FRAME.right} y={HEIGHT - 8} {...text}>
            {xUnit}
          </text>
          <text x={4} y={12} {...text}>
            {yUnit}
          </text>
          {reference !== undefined && (
            <line
              stroke={palette["ink-faint"]}
              strokeDasharray="5 4"
              x1={FRAME.left}
              x2={width - FRAME.right}
              y1={y(reference)}
              y2={y(reference)}
            />
          )}
          {lines.map((line) => (
            <path
              d={bandPath(line, x, y)}
              fill={line.colour}
              key={line.key}
              opacity={lines.length > FEW ? 0.07 : 0.16}
            />
          ))}
          {lines.flatMap(({ key, colour, single = [] }) =>
            single.map((one) => (
              <path
                d={linePath(one.x, one.y, x, y)}
                fill="none"
                key={`${key} ${one.key}`}
                opacity={0.45}
                stroke={colour}
              />
            )),
          )}
          {lines.map((line) => (
            <path
              d={linePath(line.x, line.y, x, y)}
              fill="none"
              key={line.key}
              stroke={line.colour}
              strokeDasharray={line.dash.join(" ")}
              strokeLinejoin="round"
              strokeWidth={2.25}
            />
          ))}
          {place !== null && (
            <line
              stroke={palette["ink-faint"]}
              strokeDasharray="2 3"
              x1={x(place)}
              x2={x(place)}
              y1={FRAME.top}
              y2={HEIGHT - FRAME.bottom}
            />
          )}
        </svg>
      )}
      <p aria-hidden="true" className="numeric min-h-5 text-[12px] text-ink-soft">
        {said?.length ? `${formatX(place!)}: ${said.join(" · ")}` : ""}
      </p>
    </div>
  )
}

function sayPoint({ label, x, y, note }: BandLine, place: number): string | null {
  const index = nearestIndex(x, place)
  const value = index === null ? null : y[index]
  if (index === null || value === null || value === undefined) return null
  return `${label} ${formatValue(value)}${note ? ` (${note(index)})` : ""}`
}
