import { scaleLinear } from "d3-scale"
import { formatTick, formatValue } from "@/lib/format"

interface Row {
  label: string
  value: number
  low: number | null
  high: number | null
}

interface IntervalStripProps {
  /** Each drawn as a dot in the first line. */
  points: readonly { name: string; value: number }[]
  rows: readonly Row[]
}

/** Single values and estimates with their intervals on one shared scale. */
export function IntervalStrip({ points, rows }: IntervalStripProps) {
  const all = [
    ...points.map(({ value }) => value),
    ...rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]),
  ]
  const scale = scaleLinear()
    .domain([Math.min(0, ...all), Math.max(...all, Math.min(0, ...all) + 1)])
    .range([0, 100])
    .nice(5)
  const at = (value: number) => `${scale(value)}%`
  const spoken = rows.map(({ label, value }) => `${label} ${formatValue(value)}`).join(", ")
  return (
    <figure
      aria-label={`${spoken}; ${points.length} experiments on one scale`}
      className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 text-[12px] text-ink-faint"
    >
      <span>Each</span>
      <div className="relative mx-2 h-8">
        {points.map(({ name, value }) => (
          <span
            className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 size-2.5 rounded-full border border-surface bg-accent opacity-60"
            key={name}
            style={{ left: at(value) }}
            title={`${name}: ${formatValue(value)}`}
          />
        ))}
      </div>
      {rows.map(({ label, value, low, high }) => (
        <div className="contents" key={label}>
          <span>{label}</span>
          <div className="relative mx-2 h-8">
            {low !== null && high !== null && (
              <span
                className="-translate-y-1/2 absolute top-1/2 h-2 rounded-full bg-accent-soft ring-1 ring-accent/40"
                style={{ left: at(low), width: `${scale(high) - scale(low)}%` }}
              />
            )}
            <span
              className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 h-5 w-1 rounded-full bg-accent-strong"
              style={{ left: at(value) }}
              title={`${label}: ${formatValue(value)}`}
            />
          </div>
        </div>
      ))}
      <span />
      <div className="numeric relative mx-2 h-6 border-line-strong border-t">
        {scale.ticks(5).map((tick) => (
          <span
            className="-translate-x-1/2 absolute top-1 whitespace-nowrap"
            key={tick}
            style={{ left: at(tick) }}
          >
            {formatTick(tick)}
          </span>
        ))}
      </div>
    </figure>
  )
}
