import { useSyncExternalStore } from "react"
import type { Overview } from "@/features/experiment/overview/useOverview"
import { formatPosition, formatSlot, formatValue } from "@/lib/format"
import { positions, type Series, summarise, tickAt } from "@/lib/series"

interface CursorReadoutProps {
  overview: Overview
  series: Series
}

/** Best and median at the cursor, or at the end while there is none. */
export function CursorReadout({ overview, series }: CursorReadoutProps) {
  const { cursor, axis, highlighted } = overview
  const position = useSyncExternalStore(cursor.subscribe, cursor.read)
  const places = positions(series, axis)
  const tick = position === null ? places.length - 1 : Math.max(0, tickAt(places, position))
  const { best, median } = summarise(series)
  const column = highlighted === null ? undefined : series.columns[highlighted]
  return (
    <p className="numeric flex flex-wrap items-center gap-x-4 gap-y-0.5 px-3 pb-1 text-[13px] text-ink-soft">
      <span className="text-ink-faint">{formatPosition(places[tick] ?? 0, axis)}</span>
      <span>
        <svg aria-hidden="true" className="mr-1.5 inline text-ink" height="8" width="18">
          <path d="M0 4h18" stroke="currentColor" strokeWidth="2.5" />
        </svg>
        best <b className="font-semibold text-ink">{formatValue(best[tick])}</b>
      </span>
      <span>
        <svg aria-hidden="true" className="mr-1.5 inline text-ink-soft" height="8" width="18">
          <path d="M0 4h18" stroke="currentColor" strokeDasharray="5 3" strokeWidth="2" />
        </svg>
        median <b className="font-semibold text-ink">{formatValue(median[tick])}</b>
      </span>
      {overview.ancestral && (
        <span>
          <svg aria-hidden="true" className="mr-1.5 inline text-accent" height="8" width="18">
            <path d="M0 4h18" stroke="currentColor" strokeWidth="3" />
          </svg>
          ancestry <b className="font-semibold text-ink">{formatValue(overview.ancestral[tick])}</b>
        </span>
      )}
      {highlighted !== null && column && (
        <span>
          {formatSlot(highlighted)} <b className="font-semibold text-ink">{formatValue(column[tick])}</b>
        </span>
      )}
    </p>
  )
}
