import { scaleLog } from "d3-scale"
import type { Ref } from "react"
import type { Mark } from "@/lib/colour"
import { formatTick } from "@/lib/format"
import { usePalette } from "@/lib/palette"
import type { Line } from "@/lib/studies"
import { useWidth } from "@/lib/useSize"

const HEIGHT = 260
const LEFT = 56
const RIGHT = 14
const TOP = 14
const BOTTOM = 40

interface LogChartProps {
  label: string
  /** What the vertical axis counts. */
  unit: string
  lines: readonly Line[]
  markOf: (line: Line) => Mark
  /** A value that deserves a line of its own, such as "as fast as the baseline". */
  reference?: number
  picture?: Ref<SVGSVGElement>
}

/**
 * Medians with their quartiles over population size, both axes logarithmic. Colours are written into the drawing, so that
 * it can be saved as a picture.
 */
export function LogChart({ label, unit, lines, markOf, reference, picture }: LogChartProps) {
  const [host, width] = useWidth<HTMLDivElement>()
  const palette = usePalette()
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
    (a, b) => a - b,
  )
  const values = lines.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]))
  if (reference !== undefined) values.push(reference)
  const x = scaleLog([Math.min(...sizes, 1), Math.max(...sizes, 2)], [LEFT + 8, width - RIGHT - 8])
  const y = scaleLog([Math.min(...values) / 1.15, Math.max(...values) * 1.15], [HEIGHT - BOTTOM, TOP + 14])
  const text = { fill: palette["ink-faint"], fontSize: 11, fontFamily: "inherit" }
  return (
    <div ref={host}>
      {width > 0 && (
        <svg
          aria-label={label}
          className="numeric block"
          height={HEIGHT}
          ref={picture}
          role="img"
          width={width}
        >
          {roundTicks(y.domain() as [number, number]).map((value) => (
            <g key={value}>
              <line
                stroke={value === reference ? palette["line-strong"] : palette.line}
                x1={LEFT}
                x2={width - RIGHT}
                y1={y(value)}
                y2={y(value)}
              />
              <text dy="0.32em" textAnchor="end" x={LEFT - 8} y={y(value)} {...text}>
                {formatTick(value)}
              </text>
            </g>
          ))}
          {thinned(sizes, x).map((size) => (
            <text key={size} textAnchor="middle" x={x(size)} y={HEIGHT - BOTTOM + 16} {...text}>
              {size}
            </text>
          ))}
          <text textAnchor="end" x={width - RIGHT} y={HEIGHT - 6} {...text}>
            members
          </text>
          <text textAnchor="start" x={4} y={TOP} {...text}>
            {unit}
          </text>
          {lines.map((line) => {
            const { colour, dash } = markOf(line)
            return (
              <g key={line.key} stroke={colour}>
                <path
                  d={line.points
                    .map(({ size, value }, index) => `${index ? "L" : "M"}${x(size)} ${y(value)}`)
                    .join("")}
                  fill="none"
                  strokeDasharray={dash.join(" ")}
                  strokeWidth={2}
                />
                {line.points.map(({ size, value, low, high }) => (
                  <g key={size}>
                    <line opacity={0.5} strokeWidth={3} x1={x(size)} x2={x(size)} y1={y(low)} y2={y(high)} />
                    <circle cx={x(size)} cy={y(value)} fill={colour} r={3} stroke="none">
                      <title>{`${line.contender}, ${size} members: ${formatTick(value)} ${unit}`}</title>
                    </circle>
                  </g>
                ))}
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

/** 1, 2 and 5 times each power of ten within the range; only the powers where these would crowd the axis. */
export function roundTicks([low, high]: [number, number]): number[] {
  const ticks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const digit of [1, 2, 5]) ticks.push(Number(`${digit}e${power}`))
  }
  const inside = ticks.filter((value) => value >= low && value <= high)
  return inside.length > 9 ? inside.filter((value) => Number.isInteger(Math.log10(value))) : inside
}

/** Sizes whose labels have room beside each other. */
function thinned(sizes: readonly number[], x: (size: number) => number): number[] {
  const kept: number[] = []
  for (const size of sizes) {
    const last = kept.at(-1)
    if (last === undefined || x(size) - x(last) >= 22) kept.push(size)
  }
  return kept
}
