interface SparklineProps {
  values: readonly number[]
  label: string
  width?: number
  height?: number
}

/** A line without axes, for a table cell. */
export function Sparkline({ values, label, width = 96, height = 28 }: SparklineProps) {
  const points = values.flatMap((value, index) => (Number.isFinite(value) ? [{ index, value }] : []))
  if (points.length === 0) return <span className="text-ink-faint">–</span>
  const low = Math.min(...points.map(({ value }) => value))
  const high = Math.max(...points.map(({ value }) => value))
  const place = ({ index, value }: { index: number; value: number }) => ({
    x: 3 + (values.length > 1 ? index / (values.length - 1) : 1) * (width - 6),
    y: height - 4 - (high > low ? (value - low) / (high - low) : 0.5) * (height - 8),
  })
  const path = points.map(place)
  const line = path.map(({ x, y }, index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")
  const first = path[0]!
  const last = path.at(-1)!
  return (
    <svg aria-label={label} height={height} role="img" viewBox={`0 0 ${width} ${height}`} width={width}>
      <path className="fill-accent opacity-10" d={`${line}L${last.x} ${height}L${first.x} ${height}Z`} />
      <path className="stroke-accent" d={line} fill="none" strokeLinejoin="round" strokeWidth={1.5} />
      <circle className="fill-accent" cx={last.x} cy={last.y} r={2.25} />
    </svg>
  )
}
