import { useQueries } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { seriesQuery } from "@/api/queries"
import { isActive } from "@/api/types"
import { PhaseChart } from "@/charts/PhaseChart"
import { PhaseTotals } from "@/features/experiment/runtime/PhaseTotals"
import { formatDuration } from "@/lib/format"
import { PHASES, type PhaseColumn, phaseColumns, phaseTotals } from "@/lib/phases"
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
            ? "They arrive with the first tick."
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
        hint="Time for a thousand steps of every member, by phase"
        title="Cost over the run"
      >
        <div className="px-2 pb-3 sm:px-3">
          <PhaseChart columns={drawn} label="Seconds a thousand steps, stacked by phase" theme={theme} />
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
