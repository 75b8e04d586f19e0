import { useQuery } from "@tanstack/react-query"
import { metricNamesQuery } from "@/api/queries"
import { RETURN } from "@/features/experiment/overview/useOverview"
import { metricLabel } from "@/lib/metricLabel"
import type { RunView } from "@/lib/run/runView"
import { Select } from "@/ui/Select"

interface MetricSelectProps {
  metric: string
  view: RunView
  onChange: (metric: string) => void
}

/** All metrics that the run has reported, by group; those that arrive while one looks are added. */
export function MetricSelect({ metric, view, onChange }: MetricSelectProps) {
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
