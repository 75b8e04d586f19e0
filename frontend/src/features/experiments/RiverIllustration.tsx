import { sequentialColour } from "@/lib/colour"
import { useTheme } from "@/lib/theme"

/** Lanes of a made-up lineage: pieces with their fitness, and the copies between them. */
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

const WIDTH = 960
const LANE = 30
const TOP = 34

export function RiverIllustration() {
  const theme = useTheme()
  const column = WIDTH / 8
  const middle = (lane: number) => TOP + lane * LANE
  return (
    <svg
      aria-hidden="true"
      className="block w-full bg-sunken"
      preserveAspectRatio="xMidYMid slice"
      style={{ height: 200, maskImage: "linear-gradient(to bottom, black 62%, transparent)" }}
      viewBox={`0 0 ${WIDTH} 190`}
    >
      {LANES.map((pieces, lane) => (
        <g key={pieces[0]}>
          {pieces.map((share, index) => (
            <rect
              fill={sequentialColour(share, theme)}
              height={13}
              key={share}
              rx={index === 0 || COPIES.some(({ at, to }) => at === index && to === lane) ? 4 : 0}
              width={column + 0.6 - (COPIES.some(({ at, to }) => at === index + 1 && to === lane) ? 5 : 0)}
              x={index * column}
              y={middle(lane) - 6.5}
            />
          ))}
        </g>
      ))}
      {COPIES.map(({ at, from, to }) => {
        const x = at * column
        return (
          <g className="text-ink" key={`${at}-${to}`}>
            <path
              d={`M${x - 34} ${middle(from)}C${x - 8} ${middle(from)} ${x - 6} ${middle(from)} ${x - 3} ${(middle(from) + middle(to)) / 2}S${x} ${middle(to)} ${x} ${middle(to)}`}
              fill="none"
              stroke="currentColor"
              strokeWidth={1.75}
            />
            <circle cx={x} cy={middle(to)} fill="currentColor" r={4} />
          </g>
        )
      })}
    </svg>
  )
}
