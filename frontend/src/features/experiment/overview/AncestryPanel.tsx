import { useQuery } from "@tanstack/react-query"
import { useMemo, useSyncExternalStore } from "react"
import { type LineageSource, scheduleQuery } from "@/api/lineage"
import { CurveChart } from "@/charts/CurveChart"
import { ScheduleChart } from "@/charts/ScheduleChart"
import { ForkButton } from "@/features/experiment/overview/ForkButton"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { type Cursor, mapCursor } from "@/lib/cursor"
import { formatInteger, formatName, formatParameter, formatSlot, formatValue } from "@/lib/format"
import { ancestralColumn, populationBand, schedule } from "@/lib/lineage/ancestry"
import { type Lineage, movingParameters, type Span, type TunedParameter } from "@/lib/lineage/spans"
import { stepOfWall, wallOfStep } from "@/lib/lineage/timeMap"
import { saveText } from "@/lib/saveText"
import { lastFinite, nearestTick } from "@/lib/series"
import { Button } from "@/ui/Button"
import { copyText } from "@/ui/copyText"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

interface AncestryPanelProps {
  state: LineageState
  lineage: Lineage
}

/** The selected descendant's history: its stitched return, and the schedule of each hyper-parameter. */
export function AncestryPanel({ state, lineage }: AncestryPanelProps) {
  const { ancestry, returns } = state
  const { selected, stretches, generations, error, retry } = ancestry
  const cursor = useStepCursor(state)
  const founder = stretches[0]?.span
  const leaf = stretches.at(-1)?.span
  const parameters = useMemo(() => movingParameters(lineage), [lineage])
  const births = useMemo(() => stretches.slice(1).map(({ from }) => from), [stretches])
  const column = useMemo(
    () => (stretches.length ? ancestralColumn(stretches, returns) : null),
    [stretches, returns],
  )
  if (selected !== null && error && !leaf) {
    return (
      <Panel title="Schedule">
        <Failure error={error} onRetry={retry} title="The ancestry could not be loaded" />
      </Panel>
    )
  }
  if (selected !== null && !leaf) {
    return (
      <Panel title="Schedule">
        <Loading label="Loading the ancestry" />
      </Panel>
    )
  }
  if (!founder || !leaf || !column) {
    return (
      <Panel title="Schedule">
        <Empty compact title="No member selected">
          Select a member, a bar of the river or a line. The hyper-parameters used along its ancestry appear
          here as one schedule.
        </Empty>
      </Panel>
    )
  }
  const descent =
    generations === 0
      ? describeFounder(founder)
      : `${generations} ${generations === 1 ? "copy" : "copies"} from founder ${formatSlot(founder.slot)}`
  const returnAt = (step: number) => formatValue(column[nearestTick(returns.steps, step)])
  return (
    <Panel
      actions={
        <>
          {state.source.run !== undefined && <ForkButton run={state.source.run} span={leaf.id} />}
          <ScheduleActions leaf={leaf} source={state.source} />
        </>
      }
      hint={`${descent}. Grey: range over the population; dashed: bounds.`}
      title={`Schedule of ${formatSlot(leaf.slot)}`}
    >
      <div className="grid gap-x-8 gap-y-6 pt-2 md:grid-cols-2 2xl:grid-cols-3">
        {returns.steps.length > 0 && (
          <figure className="min-w-0">
            <Caption
              cursor={cursor}
              name="return along the ancestry"
              now={formatValue(lastFinite(column))}
              valueAt={returnAt}
            />
            <CurveChart
              births={births}
              column={column}
              cursor={cursor}
              endStep={lineage.end_step}
              label={`Return along the ancestry of ${formatSlot(leaf.slot)}`}
              series={returns}
            />
          </figure>
        )}
        {parameters.map((parameter) => (
          <Schedule
            cursor={cursor}
            key={parameter.name}
            lineage={lineage}
            parameter={parameter}
            state={state}
          />
        ))}
      </div>
    </Panel>
  )
}

function describeFounder({ origin }: Span): string {
  if (!origin) return "A founder: trained from its own initial weights"
  const member = origin.member === null ? "the mean policy" : formatSlot(origin.member)
  return `A founder: began with the weights of ${member} of ${origin.experiment} at step ${formatInteger(origin.step)}`
}

/** The shared cursor in steps, whichever axis curves and timeline have. */
function useStepCursor({ cursor, axis, times }: LineageState): Cursor {
  return useMemo(
    () =>
      axis === "steps"
        ? cursor
        : mapCursor(
            cursor,
            (wall) => stepOfWall(times, wall),
            (step) => wallOfStep(times, step),
          ),
    [cursor, axis, times],
  )
}

interface ScheduleProps extends AncestryPanelProps {
  parameter: TunedParameter
  cursor: Cursor
}

function Schedule({ parameter, state, lineage, cursor }: ScheduleProps) {
  const { spans, end_step } = lineage
  const { name, names, scale, read } = parameter
  const { stretches } = state.ancestry
  const steps = useMemo(() => schedule(stretches, name), [stretches, name])
  const band = useMemo(() => populationBand(spans, name, end_step), [spans, name, end_step])
  const changes = steps.filter((part, index) => index > 0 && part.value !== steps[index - 1]!.value).length
  return (
    <figure className="min-w-0">
      <Caption
        cursor={cursor}
        name={`${formatName(name)}${scale === "log" ? " (log)" : ""}${read === "training" ? "" : `, read only at ${read}`}`}
        now={formatParameter(steps.at(-1)?.value, names)}
        valueAt={(step) => formatParameter(steps.findLast(({ from }) => from <= step)?.value, names)}
      />
      <ScheduleChart
        band={band}
        cursor={cursor}
        endStep={end_step}
        label={`${formatName(name)} from ${formatValue(steps[0]?.value)} to ${formatValue(steps.at(-1)?.value)} with ${changes} changes`}
        parameter={parameter}
        steps={steps}
      />
    </figure>
  )
}

interface CaptionProps {
  name: string
  now: string
  cursor: Cursor
  valueAt: (step: number) => string
}

/** The value at the cursor, or the present one while there is none. */
function Caption({ name, now, cursor, valueAt }: CaptionProps) {
  const step = useSyncExternalStore(cursor.subscribe, cursor.read)
  return (
    <figcaption className="mb-1 flex justify-between gap-4">
      <span className="truncate font-medium">{name}</span>
      <span className="numeric whitespace-nowrap text-ink-faint">
        {step === null ? `now ${now}` : `at ${formatInteger(step)}: ${valueAt(step)}`}
      </span>
    </figcaption>
  )
}

interface ScheduleActionsProps {
  leaf: Span
  source: LineageSource
}

/** Exports the schedule as the `population.method` of a spec that trains new members on it. */
function ScheduleActions({ leaf, source }: ScheduleActionsProps) {
  const yaml = useQuery(scheduleQuery(source, leaf.id)).data?.yaml
  // A run that tunes nothing has no schedule.
  if (yaml === undefined) return null
  return (
    <>
      <Button icon="copy" onClick={() => copyText(yaml, "The schedule is on the clipboard")} size="small">
        Copy YAML
      </Button>
      <Button
        icon="download"
        onClick={() => saveText(`schedule-m${leaf.slot}-s${leaf.id}.yaml`, yaml)}
        size="small"
      >
        Download
      </Button>
    </>
  )
}
