import { scaleLinear } from "d3-scale"
import type { Ref } from "react"
import { extentOf } from "@/charts/bandPaths"
import type { Mark } from "@/lib/colour"
import { formatTick, formatValue } from "@/lib/format"
import { usePalette } from "@/lib/palette"
import { useWidth } from "@/lib/useSize"

export interface ArmInterval extends Mark {
  key: string
  label: string
  value: number | null
  low: number | null
  high: number | null
  /** Single replicates. */
  dots: readonly number[]
}

interface ArmIntervalsProps {
  label: string
  rows: readonly ArmInterval[]
  unit: string
  /** A value that deserves a line of its own, e.g. no difference. */
  reference?: number
  picture?: Ref<SVGSVGElement>
}

const ROW = 44
const TOP = 8
const BOTTOM = 36
const SIDE = 16

/** Estimates with their intervals, one row an arm, on one scale; replicates as dots behind them. */
export function ArmIntervals({ label, rows, unit, reference, picture }: ArmIntervalsProps) {
  const [host, width] = useWidth<HTMLDivElement>()
  const palette = usePalette()
  const all = rows.flatMap(({ value, low, high, dots }) => [value, low, high, ...dots])
  const x = scaleLinear(extentOf([reference === undefined ? all : [...all, reference]]), [
    SIDE,
    width - SIDE,
  ]).nice(5)
  const height = TOP + ROW * rows.length + BOTTOM
  const text = { fontSize: 11, fontFamily: "inherit" }
  const bottom = height - BOTTOM
  return (
    <div ref={host}>
      {width > 0 && (
        <svg
          aria-label={label}
          className="numeric block"
          height={height}
          ref={picture}
          role="img"
          width={width}
        >
          {x.ticks(Math.max(2, Math.floor(width / 90))).map((tick) => (
            <g key={tick}>
              <line stroke={palette.line} x1={x(tick)} x2={x(tick)} y1={TOP} y2={bottom} />
              <text fill={palette["ink-faint"]} textAnchor="middle" x={x(tick)} y={bottom + 14} {...text}>
                {formatTick(tick)}
              </text>
            </g>
          ))}
          {reference !== undefined && (
            <line
              stroke={palette["ink-faint"]}
              strokeDasharray="5 4"
              x1={x(reference)}
              x2={x(reference)}
              y1={TOP}
              y2={bottom}
            />
          )}
          <text fill={palette["ink-faint"]} textAnchor="end" x={width - SIDE} y={height - 6} {...text}>
            {unit}
          </text>
          {rows.map((row, index) => (
            <g key={row.key} transform={`translate(0 ${TOP + ROW * index})`}>
              <text fill={palette["ink-soft"]} x={SIDE} y={12} {...text}>
                {row.label}
              </text>
              <Marks ink={palette.ink} row={row} x={x} />
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

interface MarksProps {
  row: ArmInterval
  ink: string
  x: (value: number) => number
}

function Marks({ row: { label, value, low, high, dots, colour }, ink, x }: MarksProps) {
  const middle = 28
  return (
    <>
      {low !== null && high !== null && (
        <line
          opacity={0.35}
          stroke={colour}
          strokeLinecap="round"
          strokeWidth={9}
          x1={x(low)}
          x2={x(high)}
          y1={middle}
          y2={middle}
        />
      )}
      {dots.map((dot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: replicates never move, and two may be equal
        <circle cx={x(dot)} cy={middle} fill={colour} key={index} opacity={0.7} r={3} />
      ))}
      {value !== null && (
        <line stroke={ink} strokeWidth={2.5} x1={x(value)} x2={x(value)} y1={middle - 9} y2={middle + 9}>
          <title>{`${label}: ${formatValue(value)}`}</title>
        </line>
      )}
    </>
  )
}
