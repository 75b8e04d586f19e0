import type { Picture } from "@/lib/distributions"
import { formatTick } from "@/lib/format"

const WIDTH = 132
const HEIGHT = 26
const EDGE = 4

interface DistributionPictureProps {
  picture: Picture
  label: string
  /** It is what will be used, not what was written. */
  faint: boolean
}

/** How likely each value is, with the ends of the axis and a mark at the default. */
export function DistributionPicture({ picture, label, faint }: DistributionPictureProps) {
  const x = (place: number) => EDGE + place * (WIDTH - 2 * EDGE)
  const y = (height: number) => HEIGHT - 1 - height * (HEIGHT - 4)
  const { curve, stems, usual, low, high, axis } = picture
  const line = curve.map(({ place, height }) => `L${x(place).toFixed(1)} ${y(height).toFixed(1)}`).join("")
  return (
    <figure className="w-[132px] shrink-0">
      <svg
        className={faint ? "opacity-50" : undefined}
        aria-label={label}
        height={HEIGHT}
        role="img"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
      >
        {curve.length > 0 && (
          <path
            className="fill-accent-soft stroke-accent"
            d={`M${x(curve[0]!.place)} ${y(0)}${line}L${x(curve.at(-1)!.place)} ${y(0)}`}
            strokeWidth={1.5}
          />
        )}
        {stems.map((place) => (
          <g className="fill-accent stroke-accent" key={place}>
            <line strokeWidth={1.5} x1={x(place)} x2={x(place)} y1={y(0)} y2={y(0.8)} />
            <circle cx={x(place)} cy={y(0.85)} r={2.5} />
          </g>
        ))}
        <line className="stroke-line-strong" x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} />
        {usual !== null && (
          <path className="fill-ink-soft" d={`M${x(usual) - 3.5} ${HEIGHT}h7l-3.5 -6z`}>
            <title>The default</title>
          </path>
        )}
      </svg>
      <figcaption
        aria-hidden="true"
        className="numeric flex justify-between text-[10px] text-ink-faint leading-3"
      >
        <span>{formatTick(low)}</span>
        <span>{axis === "log" ? "log" : ""}</span>
        <span>{formatTick(high)}</span>
      </figcaption>
    </figure>
  )
}
