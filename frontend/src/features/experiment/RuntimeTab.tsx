import { useQueries } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { seriesQuery } from "@/api/queries"
import { isActive } from "@/api/types"
import { PhaseChart, phaseColour } from "@/charts/PhaseChart"
import type { Theme } from "@/lib/colour"
import { formatDuration, formatSeconds } from "@/lib/format"
import {
  PHASE_MEANINGS,
  PHASES,
  type PhaseColumn,
  type PhaseTotal,
  phaseColumns,
  phaseTotals,
} from "@/lib/phases"
import type { RunView } from "@/lib/run/runView"
import { mergeSeries } from "@/lib/series"
import { useTheme } from "@/lib/theme"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Empty, Failure, Loading } from "@/ui/States"

const COLUMNS = 96

/** Where the time went. */
export function RuntimeTab({ view }: { view: RunView }) {
  const theme = useTheme()
  const stored = useQueries({
    queries: PHASES.map((phase) => seriesQuery(view.run.id, view.snapshot, `time/${phase}`)),
    combine: (results) => ({
      series: results.map(({ data }) => data),
      pending: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error)?.error,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  })
  const columns = useMemo(() => {
    const merged = PHASES.flatMap((phase, index) => {
      const series = stored.series[index]
      return series ? [[phase, mergeSeries(series, view.streamed[`time/${phase}`])] as const] : []
    })
    return phaseColumns(Object.fromEntries(merged), COLUMNS)
  }, [stored.series, view.streamed])
  const [compileShown, setCompileShown] = useState(false)
  const drawn = useMemo(() => (compileShown ? columns : columns.map(withoutCompile)), [compileShown, columns])
  const totals = phaseTotals(columns)

  if (stored.pending) {
    return (
      <Panel>
        <Loading label="Loading timings" lines={6} />
      </Panel>
    )
  }
  if (stored.error) {
    return (
      <Panel>
        <Failure error={stored.error} onRetry={stored.refetch} title="The timings could not be loaded" />
      </Panel>
    )
  }
  if (totals.length === 0) {
    return (
      <Panel title="Where the time went">
        <Empty title="No timings yet">
          {isActive(view.run.status)
            ? "They appear after the first tick."
            : "The run ended before its first tick."}
        </Empty>
      </Panel>
    )
  }
  const sum = totals.reduce((all, { seconds }) => all + seconds, 0)
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_420px]">
      <Panel
        actions={
          <Segmented
            label="Compilation"
            onChange={(next) => setCompileShown(next === "with")}
            options={[
              { value: "without", label: "Without compilation" },
              { value: "with", label: "With" },
            ]}
            value={compileShown ? "with" : "without"}
          />
        }
        flush
        hint="Time per thousand steps of every member, by phase"
        title="Cost over the run"
      >
        <div className="px-2 pb-3 sm:px-3">
          <PhaseChart columns={drawn} label="Seconds per thousand steps, stacked by phase" theme={theme} />
        </div>
      </Panel>
      <Panel hint={`${formatDuration(sum)} of work in total`} title="Where the time went">
        <PhaseTotals theme={theme} totals={totals} />
      </Panel>
    </div>
  )
}

/** Compilation happens once and would dwarf everything after it. */
function withoutCompile(column: PhaseColumn): PhaseColumn {
  return { ...column, seconds: { ...column.seconds, compile: 0 } }
}

interface PhaseTotalsProps {
  totals: readonly PhaseTotal[]
  theme: Theme
}

function PhaseTotals({ totals, theme }: PhaseTotalsProps) {
  return (
    <>
      <div aria-hidden="true" className="mt-1 mb-4 flex h-3 gap-px overflow-hidden rounded-full">
        {totals.map(({ phase, share }) => (
          <div key={phase} style={{ width: `${share * 100}%`, background: phaseColour(phase, theme) }} />
        ))}
      </div>
      <table className="numeric w-full text-left">
        <caption className="sr-only">Time by phase</caption>
        <thead>
          <tr className="eyebrow">
            <th className="pb-2" scope="col">
              Phase
            </th>
            <th className="pb-2 text-right" scope="col">
              Time
            </th>
            <th className="pb-2 text-right" scope="col">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ phase, seconds, share }) => (
            <tr className="border-line border-t" key={phase}>
              <td className="py-2 pr-3">
                <span className="flex items-baseline gap-2">
                  <span
                    className="size-2.5 shrink-0 rounded-sm"
                    style={{ background: phaseColour(phase, theme) }}
                  />
                  <span>
                    <span className="font-medium">{phase}</span>
                    <span className="block text-[13px] text-ink-faint">{PHASE_MEANINGS[phase]}</span>
                  </span>
                </span>
              </td>
              <td className="whitespace-nowrap py-2 text-right align-top">{formatSeconds(seconds)}</td>
              <td className="py-2 pl-4 text-right align-top">{(share * 100).toFixed(1)}%</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
