import type { Aggregate, Estimate, Group } from "@/api/types"
import { IntervalStrip } from "@/charts/IntervalStrip"
import { formatValue } from "@/lib/format"
import { Figure } from "@/ui/Figure"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

/** All experiments in a few numbers, if their returns are comparable. */
export function AggregatePanel({ group }: { group: Group }) {
  if (group.size === 0) return null
  return (
    <Panel hint={basis(group)} title="Aggregate">
      {group.aggregate ? (
        <Numbers aggregate={group.aggregate} group={group} />
      ) : group.comparable ? (
        <Empty compact title="No evaluation yet">
          The mean appears after the first evaluated experiment.
        </Empty>
      ) : (
        <Empty compact title="These returns cannot be averaged">
          The experiments have different environments with rewards on different scales. Compare them one by
          one below.
        </Empty>
      )}
    </Panel>
  )
}

function Numbers({ aggregate, group }: { aggregate: Aggregate; group: Group }) {
  const finished = group.counts.finished ?? 0
  const returns = group.experiments.flatMap(({ name, score }) =>
    score === null ? [] : [{ name, value: score }],
  )
  return (
    <div className="grid items-center gap-x-10 gap-y-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
        <Figure
          label="Interquartile mean"
          note={intervalText(aggregate.interquartile_mean)}
          title="Mean of the middle half of all samples, with a stratified bootstrap interval"
          value={formatValue(aggregate.interquartile_mean.value)}
        />
        <Figure
          label="Mean"
          note={intervalText(aggregate.mean)}
          title="Mean of the experiments' scores, with a stratified bootstrap interval"
          value={formatValue(aggregate.mean.value)}
        />
        <Figure
          label="Evaluated"
          note={finished < group.size ? `${finished} finished so far` : "all finished"}
          value={`${aggregate.experiments} of ${group.size}`}
        />
        <Figure
          label="Samples"
          note="independently learned"
          title="Each member of each run, or the best member of each run where members copy each other"
          value={String(aggregate.samples)}
        />
      </dl>
      <IntervalStrip
        points={returns}
        rows={[
          { label: "IQM", ...aggregate.interquartile_mean },
          { label: "Mean", ...aggregate.mean },
        ]}
      />
    </div>
  )
}

function basis({ experiments }: Group): string {
  const scored = experiments.filter(({ score }) => score !== null)
  const finals = scored.filter(({ is_final }) => is_final).length
  if (finals === scored.length) return "Final returns, in episodes that no selection saw"
  if (finals === 0) return "Returns at the last evaluation in training"
  return `${finals} of ${scored.length} are final returns, the others of the last evaluation in training`
}

function intervalText({ low, high }: Estimate): string {
  if (low === null || high === null) return "no interval: one sample per experiment"
  return `95 %: ${formatValue(low)} to ${formatValue(high)}`
}
