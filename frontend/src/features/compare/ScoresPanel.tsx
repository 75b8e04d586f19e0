import { useRef } from "react"
import { comparisonParams } from "@/api/queries"
import type { Arm, Comparison } from "@/api/types"
import { ArmIntervals } from "@/charts/ArmIntervals"
import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"
import { formatEstimate, STATISTIC_NAMES } from "@/features/compare/estimates"
import { PictureButtons } from "@/features/compare/PictureButtons"
import { metricLabel } from "@/lib/metricLabel"
import type { CompareSearch } from "@/lib/search"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"
import { CELL, HEADING } from "@/ui/tableStyle"

interface ScoresPanelProps {
  arms: readonly MarkedArm[]
  comparison: Comparison
  search: CompareSearch
}

/** Every arm's score with its interval, as a table and on one scale. */
export function ScoresPanel({ arms, comparison, search }: ScoresPanelProps) {
  const picture = useRef<SVGSVGElement>(null)
  const unit = metricLabel(comparison.metric)
  const estimateOf = (arm: Arm) => arm[comparison.statistic]
  const rows = arms.map(({ arm, colour, dash }) => {
    const { value = null, low = null, high = null } = estimateOf(arm) ?? {}
    const dots = comparison.comparable ? arm.replicates.map((replicate) => replicate.value) : []
    return { key: arm.key, label: arm.name, colour, dash, value, low, high, dots }
  })
  const has = rows.some(({ value }) => value !== null)
  return (
    <Panel
      actions={
        <>
          <Download format="csv" label="CSV" search={search} />
          <Download format="latex" label="LaTeX" search={search} />
          {has && <PictureButtons arms={[]} name="scores" picture={picture} />}
        </>
      }
      hint="With 95 % stratified-bootstrap intervals; dots are replicates"
      title="Scores"
    >
      <div className="grid gap-x-10 gap-y-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="overflow-x-auto">
          <table className="w-full text-left">
            <thead>
              <tr>
                <th className={HEADING}>Arm</th>
                <th className={`${HEADING} text-right`}>Replicates</th>
                <th className={`${HEADING} text-right`}>{STATISTIC_NAMES[comparison.statistic]}</th>
                {comparison.target !== null && <th className={`${HEADING} text-right`}>Optimality gap</th>}
              </tr>
            </thead>
            <tbody>
              {arms.map((marked) => (
                <tr key={marked.arm.key}>
                  <td className={CELL}>
                    <ArmName {...marked} />
                  </td>
                  <td className={`${CELL} numeric text-right`}>{marked.arm.replicates.length}</td>
                  <td className={`${CELL} numeric whitespace-nowrap text-right`}>
                    {formatEstimate(estimateOf(marked.arm))}
                  </td>
                  {comparison.target !== null && (
                    <td className={`${CELL} numeric whitespace-nowrap text-right`}>
                      {formatEstimate(marked.arm.optimality_gap)}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {has ? (
          <ArmIntervals
            label={`${unit}: ${arms.map(({ arm }) => `${arm.name} ${formatEstimate(estimateOf(arm))}`).join(", ")}`}
            picture={picture}
            rows={rows}
            unit={unit}
          />
        ) : (
          <Empty compact title="No common scale">
            {comparison.tasks.length > 1
              ? "The tasks pay on different scales. Choose one of them above."
              : "No arm has a return yet."}
          </Empty>
        )}
      </div>
    </Panel>
  )
}

interface DownloadProps {
  format: "csv" | "latex"
  label: string
  search: CompareSearch
}

function Download({ format, label, search }: DownloadProps) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(comparisonParams(search))) {
    for (const each of [value].flat()) if (each !== undefined) query.append(name, String(each))
  }
  return (
    <a
      aria-label={`Download the table as ${label}`}
      className={buttonStyle("ghost", "small")}
      download
      href={`/api/v1/comparisons/table.${format}?${query}`}
    >
      <Icon name="download" />
      {label}
    </a>
  )
}
