import { useMemo } from "react"
import { CurveChart } from "@/charts/CurveChart"
import { ScheduleChart } from "@/charts/ScheduleChart"
import type { Overview } from "@/features/experiment/overview/useOverview"
import { formatName, formatParameter, formatSlot, formatValue } from "@/lib/format"
import { ancestralColumn, populationBand, schedule } from "@/lib/lineage/ancestry"
import type { TunedParameter } from "@/lib/lineage/segments"
import type { RunView } from "@/lib/run/runView"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

interface AncestryPanelProps {
  overview: Overview
  view: RunView
}

/** What the chosen descendant lived through: its stitched return, and the schedule of each hyper-parameter. */
export function AncestryPanel({ overview, view }: AncestryPanelProps) {
  const { path, stretches, fitness } = overview
  const { tuned, end_step } = view.lineage
  const leaf = path.at(-1)
  const births = useMemo(() => stretches.slice(1).map(({ from }) => from), [stretches])
  const column = useMemo(
    () => (stretches.length ? ancestralColumn(stretches, fitness) : null),
    [stretches, fitness],
  )
  if (!leaf || !column) {
    return (
      <Panel title="Schedule">
        <Empty compact title="Choose a descendant">
          Pick a member, a bar of the river or a line: the hyper-parameters that its ancestors lived through
          are drawn here as one schedule.
        </Empty>
      </Panel>
    )
  }
  const copies = path.length - 1
  return (
    <Panel
      hint={`${copies === 0 ? "A founder: its weights are its own from the start" : `${copies} ${copies === 1 ? "copy" : "copies"} from founder ${formatSlot(path[0]!.slot)}`}; grey shows the range over the population, dashed lines the bounds of the spec.`}
      title={`Schedule of ${formatSlot(leaf.slot)}`}
    >
      <div className="grid gap-x-8 gap-y-6 pt-2 md:grid-cols-2 2xl:grid-cols-3">
        <figure className="min-w-0">
          <figcaption className="mb-1 flex justify-between gap-4">
            <span className="font-medium">return along the ancestry</span>
            <span className="numeric text-ink-faint">
              now {formatValue(column.findLast(Number.isFinite))}
            </span>
          </figcaption>
          <CurveChart
            births={births}
            column={column}
            endStep={end_step}
            label={`Return along the ancestry of ${formatSlot(leaf.slot)}`}
            series={fitness}
          />
        </figure>
        {tuned.map((parameter) => (
          <Schedule key={parameter.name} overview={overview} parameter={parameter} view={view} />
        ))}
      </div>
    </Panel>
  )
}

function Schedule({ parameter, overview, view }: AncestryPanelProps & { parameter: TunedParameter }) {
  const { segments, end_step } = view.lineage
  const { name, scale } = parameter
  const steps = useMemo(() => schedule(overview.stretches, name), [overview.stretches, name])
  const band = useMemo(() => populationBand(segments, name, end_step), [segments, name, end_step])
  const changes = steps.filter((part, index) => index > 0 && part.value !== steps[index - 1]!.value).length
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex justify-between gap-4">
        <span className="font-medium">
          {formatName(name)}
          {scale === "log" && <span className="font-normal text-ink-faint"> (log)</span>}
        </span>
        <span className="numeric text-ink-faint">
          now {formatParameter(steps.at(-1)?.value, parameter.names)}
        </span>
      </figcaption>
      <ScheduleChart
        band={band}
        endStep={end_step}
        label={`${formatName(name)} from ${formatValue(steps[0]?.value)} to ${formatValue(steps.at(-1)?.value)} with ${changes} changes`}
        parameter={parameter}
        steps={steps}
      />
    </figure>
  )
}
