import { useQuery } from "@tanstack/react-query"
import { metricNamesQuery } from "@/api/queries"
import type { Comparison, CurveAxis, StatisticName } from "@/api/types"
import { AXES } from "@/features/compare/CurvesPanel"
import { STATISTIC_NAMES } from "@/features/compare/estimates"
import { metricLabel } from "@/lib/metricLabel"
import type { CompareSearch } from "@/lib/search"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"

interface CompareToolbarProps {
  comparison: Comparison
  search: CompareSearch
  onChange: (change: Partial<CompareSearch>) => void
}

const RETURN = "evaluation/return"

/** What is compared, by which statistic, over which axis. */
export function CompareToolbar({ comparison, search, onChange }: CompareToolbarProps) {
  const run = comparison.arms.flatMap(({ replicates }) => replicates)[0]?.run_id
  const names = useQuery({ ...metricNamesQuery(run ?? 0, 0), enabled: run !== undefined })
  const metrics = [...new Set([RETURN, comparison.metric, ...(names.data ?? [])])]
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {comparison.all_tasks.length > 1 && (
        <Select
          aria-label="Environment"
          className="max-w-64"
          onChange={(event) => onChange({ task: event.target.value || undefined })}
          value={search.task ?? ""}
        >
          <option value="">All common environments</option>
          {comparison.all_tasks.map((task) => (
            <option key={task}>{task}</option>
          ))}
        </Select>
      )}
      <Select
        aria-label="Metric"
        className="max-w-64"
        onChange={(event) =>
          onChange({ metric: event.target.value === RETURN ? undefined : event.target.value })
        }
        value={comparison.metric}
      >
        {metrics.map((name) => (
          <option key={name} value={name}>
            {metricLabel(name)}
          </option>
        ))}
      </Select>
      <Segmented<StatisticName>
        label="Statistic"
        onChange={(statistic) => onChange({ statistic })}
        options={(Object.keys(STATISTIC_NAMES) as StatisticName[]).map((value) => ({
          value,
          label: STATISTIC_NAMES[value],
        }))}
        value={comparison.statistic}
      />
      <Select
        aria-label="Axis"
        onChange={(event) => onChange({ axis: event.target.value as CurveAxis, at: undefined })}
        value={search.axis ?? "steps"}
      >
        {(Object.keys(AXES) as CurveAxis[]).map((axis) => (
          <option key={axis} value={axis}>
            {AXES[axis]}
          </option>
        ))}
      </Select>
      <NumberField
        label="Scores at"
        onChange={(at) => onChange({ at })}
        title="A position on the axis, for an equal budget; empty: returns after training"
        value={search.at}
      />
      <NumberField
        label="Target return"
        onChange={(target) => onChange({ target })}
        title="How soon it is reached, and how far scores stay below it"
        value={search.target}
      />
      <label className="flex cursor-pointer items-center gap-2 text-[13px] text-ink-soft">
        <input
          checked={search.runs ?? false}
          className="size-4 accent-(--accent)"
          onChange={(event) => onChange({ runs: event.target.checked || undefined })}
          type="checkbox"
        />
        Single runs
      </label>
    </div>
  )
}

interface NumberFieldProps {
  label: string
  title: string
  value: number | undefined
  onChange: (value: number | undefined) => void
}

/** Taken over when one leaves it or presses Enter. */
function NumberField({ label, title, value, onChange }: NumberFieldProps) {
  function take(text: string) {
    const next = text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)
    if (next !== value) onChange(next)
  }
  return (
    <label className="flex items-center gap-2 text-[13px] text-ink-soft" title={title}>
      {label}
      <input
        className="numeric h-8 w-24 rounded-lg border border-line-strong bg-surface px-2.5 text-ink"
        defaultValue={value ?? ""}
        key={value}
        onBlur={(event) => take(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        step="any"
        type="number"
      />
    </label>
  )
}
