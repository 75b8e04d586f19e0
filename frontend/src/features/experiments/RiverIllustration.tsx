import { sequentialColour } from "@/lib/colour"
import { useTheme } from "@/lib/theme"

/** A made-up lineage: fitness of each lane over time, and the copies between lanes. */
const LANES = [
  [0.05, 0.12, 0.2, 0.24, 0.5, 0.62, 0.74, 0.86],
  [0.1, 0.22, 0.4, 0.52, 0.66, 0.78, 0.88, 0.97],
  [0.02, 0.06, 0.38, 0.5, 0.6, 0.7, 0.78, 0.92],
  [0.08, 0.18, 0.26, 0.36, 0.4, 0.72, 0.82, 0.9],
  [0.03, 0.1, 0.14, 0.46, 0.58, 0.6, 0.84, 0.94],
] as const
const COPIES = [
  { at: 2, from: 1, to: 2 },
  { at: 3, from: 1, to: 4 },
  { at: 4, from: 2, to: 0 },
  { at: 5, from: 0, to: 3 },
  { at: 6, from: 1, to: 4 },
] as const

const WIDTH = 1040
const COLUMN = WIDTH / 8
const REACH = 56

function middle(lane: number): number {
  return 40 + lane * 32
}

export function RiverIllustration() {
  const theme = useTheme()
  return (
    <svg
      aria-hidden="true"
      className="block w-full bg-sunken"
      preserveAspectRatio="xMidYMid slice"
      style={{ height: 224, maskImage: "linear-gradient(to bottom, black 70%, transparent)" }}
      viewBox={`0 0 ${WIDTH} 216`}
    >
      {LANES.map((pieces, lane) =>
        pieces.map((share, index) => {
          const dies = COPIES.some(({ at, to }) => at === index + 1 && to === lane)
          return (
            <rect
              fill={sequentialColour(share, theme)}
              height={15}
              key={share}
              width={COLUMN + (dies ? -6 : 0.6)}
              x={index * COLUMN}
              y={middle(lane) - 7.5}
            />
          )
        }),
      )}
      {COPIES.map(({ at, from, to }) => {
        const x = at * COLUMN
        const path = `M${x - REACH} ${middle(from)}C${x - REACH * 0.25} ${middle(from)} ${x - REACH * 0.75} ${middle(to)} ${x} ${middle(to)}`
        return (
          <g fill="none" key={`${at}-${to}`} strokeLinecap="round">
            <path className="stroke-sunken" d={path} strokeWidth={6} />
            <path className="stroke-ink" d={path} strokeWidth={2.5} />
            <circle className="fill-ink stroke-sunken" cx={x} cy={middle(to)} r={5.5} strokeWidth={2} />
          </g>
        )
      })}
    </svg>
  )
}
