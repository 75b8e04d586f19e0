import { useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { comparedCurvesQuery } from "@/api/queries"
import type { ArmCurve, ComparedCurves, CurveAxis } from "@/api/types"
import { BandChart, type BandLine } from "@/charts/BandChart"
import type { MarkedArm } from "@/features/compare/arms"
import { STATISTIC_NAMES } from "@/features/compare/estimates"
import { Legend } from "@/features/compare/Legend"
import { PictureButtons } from "@/features/compare/PictureButtons"
import { ReachedTable } from "@/features/compare/ReachedTable"
import { formatDuration, formatSteps, formatValue } from "@/lib/format"
import { metricLabel } from "@/lib/metricLabel"
import type { CompareSearch } from "@/lib/search"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

export const AXES: Record<CurveAxis, string> = {
  steps: "Steps per member",
  updates: "Updates per member",
  wall: "Wall time",
  total_steps: "Steps of the population",
}

interface CurvesPanelProps {
  arms: readonly MarkedArm[]
  search: CompareSearch
  active: boolean
}

/** All arms over time on one axis. */
export function CurvesPanel({ arms, search, active }: CurvesPanelProps) {
  const query = useQuery(comparedCurvesQuery(search, active))
  const picture = useRef<SVGSVGElement>(null)
  const { data } = query
  const has = data?.arms.some(({ x }) => x.length > 0) ?? false
  return (
    <Panel
      actions={has && <PictureButtons arms={arms} name="curves" picture={picture} />}
      hint={
        data && has
          ? `${STATISTIC_NAMES[data.statistic]} over replicates (${data.of}) with 95 % intervals, not smoothed`
          : undefined
      }
      title="Curves"
    >
      {query.isPending && <Loading label="Loading the curves" lines={6} />}
      {query.isError && !data && (
        <Failure error={query.error} onRetry={() => query.refetch()} title="The curves could not be loaded" />
      )}
      {data && !has && (
        <Empty compact title="No curves">
          {data.note ?? "No run has this metric yet."}
        </Empty>
      )}
      {data && has && (
        <>
          <BandChart
            formatX={data.axis === "wall" ? formatDuration : formatSteps}
            label={sentence(data, arms)}
            lines={linesOf(data, arms)}
            picture={picture}
            reference={data.target ?? undefined}
            xUnit={AXES[data.axis].toLowerCase()}
            yUnit={metricLabel(data.metric)}
          />
          <Legend arms={arms} note={(key) => noteOf(data.arms.find(({ arm }) => arm === key))} />
          {data.target !== null && <ReachedTable arms={arms} curves={data} />}
        </>
      )}
    </Panel>
  )
}

function linesOf(curves: ComparedCurves, arms: readonly MarkedArm[]): BandLine[] {
  return arms.flatMap(({ arm, colour, dash }) => {
    const curve = curves.arms.find((each) => each.arm === arm.key)
    if (!curve) return []
    return {
      key: arm.key,
      label: arm.name,
      colour,
      dash,
      x: curve.x,
      y: curve.value,
      low: curve.low,
      high: curve.high,
      note: (index: number) => `n ${curve.replicates[index]}`,
      single: curve.runs.map(({ run_id, member, task, x, y }) => ({
        key: `${task} ${run_id} ${member}`,
        x,
        y: y.map(Number),
      })),
    }
  })
}

function lastOf({ value, replicates }: ArmCurve): { value: number | null; replicates: number } {
  return { value: value.at(-1) ?? null, replicates: replicates.at(-1) ?? 0 }
}

function noteOf(curve: ArmCurve | undefined): string {
  if (!curve || curve.x.length === 0) return "no curve"
  const most = Math.max(...curve.replicates)
  const { value, replicates } = lastOf(curve)
  return `${formatValue(value)} at the end, n ${replicates === most ? most : `${most}, ${replicates} at the end`}`
}

function sentence(curves: ComparedCurves, arms: readonly MarkedArm[]): string {
  const ends = curves.arms.map((curve) => {
    const name = arms.find(({ arm }) => arm.key === curve.arm)?.arm.name ?? curve.arm
    return `${name} ends at ${formatValue(lastOf(curve).value)}`
  })
  return `${metricLabel(curves.metric)} over ${AXES[curves.axis].toLowerCase()}: ${ends.join(", ")}`
}
