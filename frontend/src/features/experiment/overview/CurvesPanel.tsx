import { isActive } from "@/api/types"
import { PopulationCurves } from "@/charts/PopulationCurves"
import { CursorReadout } from "@/features/experiment/overview/CursorReadout"
import { MetricSelect } from "@/features/experiment/overview/MetricSelect"
import { type Overview, RETURN } from "@/features/experiment/overview/useOverview"
import { living } from "@/lib/lineage/spans"
import { metricLabel } from "@/lib/metricLabel"
import type { RunView } from "@/lib/run/runView"
import { countNonFinite, type Series } from "@/lib/series"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Empty, Failure, Loading } from "@/ui/States"

interface CurvesPanelProps {
  overview: Overview
  view: RunView
}

const AXES = [
  { value: "steps", label: "Steps", title: "Environment steps of a member" },
  { value: "wall", label: "Time", title: "Seconds of work" },
] as const

export function CurvesPanel({ overview, view }: CurvesPanelProps) {
  const { axis, metric, log, metricQuery } = overview
  const series = metricQuery.series
  return (
    <Panel
      actions={
        <>
          {overview.zoomed && (
            <Button icon="retry" onClick={() => overview.setZoom(null)} size="small" variant="ghost">
              Reset zoom
            </Button>
          )}
          <MetricSelect
            metric={metric}
            onChange={(next) => overview.change({ metric: next === RETURN ? undefined : next })}
            view={view}
          />
          <Segmented
            label="Horizontal axis"
            onChange={(next) => overview.change({ axis: next })}
            options={AXES}
            value={axis}
          />
          <Segmented
            label="Vertical scale"
            onChange={(next) => overview.change({ log: next === "log" || undefined })}
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
        {metricQuery.isPending && <Loading label="Loading curves" lines={6} />}
        {metricQuery.isError && (
          <Failure
            error={metricQuery.error}
            onRetry={() => metricQuery.refetch()}
            title="The curves could not be loaded"
          />
        )}
        {series && series.steps.length === 0 && <NoTicks view={view} />}
        {series && series.steps.length > 0 && <Curves overview={overview} series={series} view={view} />}
      </div>
    </Panel>
  )
}

function Curves({ overview, series, view }: CurvesPanelProps & { series: Series }) {
  const missing = countNonFinite(series)
  return (
    <>
      <CursorReadout overview={overview} series={series} />
      <PopulationCurves
        ancestral={overview.ancestral}
        axis={overview.axis}
        cursor={overview.cursor}
        highlighted={overview.highlighted}
        label={`${metricLabel(series.name)} of ${series.columns.length} members at ${series.steps.length} ticks`}
        logarithmic={overview.log}
        onHighlight={overview.setHighlighted}
        onRange={overview.setZoom}
        onSelect={(slot) =>
          overview.select(living(view.lineage.spans).find((span) => span.slot === slot)?.id ?? null)
        }
        range={overview.range}
        series={series}
      />
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
    <Empty icon="play" title={waiting ? "Waiting for a worker" : "The first curve is on its way"}>
      {waiting
        ? "The run starts as soon as a worker is free. This page follows by itself."
        : "The trainer is compiling and filling the replay. Values appear with the first tick."}
    </Empty>
  )
}
