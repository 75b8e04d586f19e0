import { type ReactNode, useMemo, useSyncExternalStore } from "react"
import type { Cursor } from "@/lib/cursor"
import { formatPosition, formatSlot, formatValue } from "@/lib/format"
import { topLabel } from "@/lib/metricLabel"
import { type Axis, nearestTick, positions, type Series, summarise } from "@/lib/series"

interface CursorReadoutProps {
  series: Series
  axis: Axis
  cursor: Cursor
  highlighted: number | null
  ancestral: Float64Array | null
}

/** Best and median at the cursor, or at the end while there is none. */
export function CursorReadout({ series, axis, cursor, highlighted, ancestral }: CursorReadoutProps) {
  const position = useSyncExternalStore(cursor.subscribe, cursor.read)
  const summary = useMemo(() => summarise(series), [series])
  const places = positions(series, axis)
  const tick = position === null ? places.length - 1 : nearestTick(places, position)
  const column = highlighted === null ? undefined : series.columns[highlighted]
  const shared = series.columns.length === 1
  return (
    <p className="numeric flex flex-wrap items-center gap-x-4 gap-y-0.5 px-3 pb-1 text-[13px] text-ink-soft">
      <span className="text-ink-faint">{formatPosition(places[tick] ?? 0, axis)}</span>
      {shared ? (
        <Entry name="whole population" value={series.columns[0]![tick]} />
      ) : (
        <>
          <Entry name={topLabel(series.name)} value={summary.best[tick]}>
            <path className="stroke-ink" d="M0 4h18" strokeWidth="2.5" />
          </Entry>
          <Entry name="median" value={summary.median[tick]}>
            <path className="stroke-ink-soft" d="M0 4h18" strokeDasharray="5 3" strokeWidth="2" />
          </Entry>
          {ancestral && (
            <Entry name="ancestry" value={ancestral[tick]}>
              <path className="stroke-accent" d="M0 4h18" strokeWidth="3" />
            </Entry>
          )}
          {highlighted !== null && column && <Entry name={formatSlot(highlighted)} value={column[tick]} />}
        </>
      )}
    </p>
  )
}

interface EntryProps {
  name: string
  value: number | undefined
  /** A sample of the line. */
  children?: ReactNode
}

function Entry({ name, value, children }: EntryProps) {
  return (
    <span className="whitespace-nowrap">
      {children && (
        <svg aria-hidden="true" className="mr-1.5 inline" height="8" width="18">
          {children}
        </svg>
      )}
      {name} <b className="font-semibold text-ink">{formatValue(value)}</b>
    </span>
  )
}
