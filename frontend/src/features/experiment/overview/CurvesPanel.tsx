import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { metricNamesQuery } from "@/api/queries"
import { isActive } from "@/api/types"
import { PopulationCurves } from "@/charts/PopulationCurves"
import { CursorReadout } from "@/features/experiment/overview/CursorReadout"
import { MomentLinks } from "@/features/experiment/overview/MomentLinks"
import { type CurveState, type LineageState, RETURN } from "@/features/experiment/overview/useOverview"
import { living } from "@/lib/lineage/spans"
import { metricLabel } from "@/lib/metricLabel"
import type { RunView } from "@/lib/run/runView"
import type { ExperimentSearch } from "@/lib/search"
import { countNonFinite, nearestTick, positions, type Series } from "@/lib/series"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"
import { Empty, Failure, Loading } from "@/ui/States"

interface CurvesPanelProps {
  curves: CurveState
  state: LineageState
  view: RunView
  onChange: (search: ExperimentSearch) => void
}

const AXES = [
  { value: "steps", label: "Steps", title: "Environment steps per member" },
  { value: "wall", label: "Time", title: "Seconds of work" },
] as const

export function CurvesPanel({ curves, state, view, onChange }: CurvesPanelProps) {
  const { metric, log, query } = curves
  const series = query.series
  return (
    <Panel
      actions={
        <>
          {curves.zoomed && (
            <Button icon="retry" onClick={() => curves.setZoom(null)} size="small" variant="ghost">
              Reset zoom
            </Button>
          )}
          <MetricSelect
            metric={metric}
            onChange={(next) => onChange({ metric: next === RETURN ? undefined : next })}
            view={view}
          />
          <Segmented
            label="Horizontal axis"
            onChange={(next) => onChange({ axis: next })}
            options={AXES}
            value={state.axis}
          />
          <Segmented
            label="Vertical scale"
            onChange={(next) => onChange({ log: next === "log" || undefined })}
            options={[
              { value: "linear", label: "Linear" },
              { value: "log", label: "Log" },
            ]}
            value={log ? "log" : "linear"}
          />
        </>
      }
      flush
      title={metricLabel(metric)}
    >
      <div className="px-2 pb-3 sm:px-3">
        {query.isPending && <Loading label="Loading curves" lines={6} />}
        {query.isError && (
          <Failure
            error={query.error}
            onRetry={() => query.refetch()}
            title="The curves could not be loaded"
          />
        )}
        {series && series.steps.length === 0 && <NoTicks view={view} />}
        {series && series.steps.length > 0 && (
          <Curves curves={curves} series={series} state={state} view={view} />
        )}
      </div>
    </Panel>
  )
}

function Curves({ curves, state, series, view }: Omit<CurvesPanelProps, "onChange"> & { series: Series }) {
  const missing = countNonFinite(series)
  const [moment, setMoment] = useState<number | null>(null)
  return (
    <>
      <CursorReadout
        ancestral={curves.ancestral}
        axis={state.axis}
        cursor={state.cursor}
        highlighted={state.highlighted}
        series={series}
      />
      <PopulationCurves
        ancestral={curves.ancestral}
        axis={state.axis}
        cursor={state.cursor}
        highlighted={state.highlighted}
        label={`${metricLabel(series.name)} of ${series.columns.length} members at ${series.steps.length} ticks`}
        logarithmic={curves.log}
        marks={state.marks}
        onHighlight={state.setHighlighted}
        onMoment={(position) =>
          setMoment(series.steps[nearestTick(positions(series, state.axis), position)] ?? null)
        }
        onRange={curves.setZoom}
        onSelect={(slot) =>
          state.select(living(view.lineage.spans).find((span) => span.slot === slot)?.id ?? null)
        }
        range={state.range}
        series={series}
      />
      <MomentLinks onChange={setMoment} run={view.run} step={moment} />
      {series.spread && (
        <p className="px-3 pt-1 text-[13px] text-ink-soft">
          Each point is the mean of many ticks; the shade reaches from the least to the greatest value of any
          member. Drag across the chart to zoom in until every tick is shown.
        </p>
      )}
      {missing > 0 && (
        <p className="px-3 pt-1 text-[13px] text-warn">
          {missing} values are not finite numbers and are not drawn.
        </p>
      )}
    </>
  )
}

function NoTicks({ view }: { view: RunView }) {
  if (!isActive(view.run.status))
    return <Empty title="No values were recorded">The run ended before its first tick.</Empty>
  const waiting = view.run.status === "queued" || view.run.status === "dispatched"
  return (
    <Empty icon="play" title={waiting ? "Waiting for a worker" : "Waiting for the first values"}>
      {waiting
        ? "The run starts as soon as a worker is free. This page updates automatically."
        : "The trainer is compiling and filling the replay buffer. Values appear after the first tick."}
    </Empty>
  )
}

interface MetricSelectProps {
  metric: string
  view: RunView
  onChange: (metric: string) => void
}

/** All metrics that the run has reported, by group, including those that arrive live. */
function MetricSelect({ metric, view, onChange }: MetricSelectProps) {
  const stored = useQuery(metricNamesQuery(view.run.id, view.snapshot))
  const names = [...new Set([RETURN, metric, ...(stored.data ?? []), ...Object.keys(view.streamed)])].sort()
  const groups = [...new Set(names.map((name) => name.split("/")[0]!))]
  return (
    <Select
      aria-label="Metric"
      className="max-w-52"
      onChange={(event) => onChange(event.target.value)}
      value={metric}
    >
      {groups.map((group) => (
        <optgroup key={group} label={group}>
          {names
            .filter((name) => name.startsWith(`${group}/`))
            .map((name) => (
              <option key={name} value={name}>
                {metricLabel(name)}
              </option>
            ))}
        </optgroup>
      ))}
    </Select>
  )
}
