import { useRef } from "react"
import type { Comparison } from "@/api/types"
import { ArmIntervals } from "@/charts/ArmIntervals"
import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"
import { formatEstimate, STATISTIC_NAMES } from "@/features/compare/estimates"
import { PictureButtons } from "@/features/compare/PictureButtons"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { Empty } from "@/ui/States"
import { CELL, HEADING } from "@/ui/tableStyle"

interface DifferencesPanelProps {
  arms: readonly MarkedArm[]
  comparison: Comparison
  onBaseline: (key: string) => void
}

/** Every arm against one of them. */
export function DifferencesPanel({ arms, comparison, onBaseline }: DifferencesPanelProps) {
  const picture = useRef<SVGSVGElement>(null)
  const rows = comparison.pairs.flatMap((pair) => {
    const marked = arms.find(({ arm }) => arm.key === pair.first)
    return marked ? [{ marked, pair }] : []
  })
  const drawn = rows.flatMap(({ marked: { arm, colour, dash }, pair }) =>
    pair.difference ? [{ key: arm.key, label: arm.name, colour, dash, dots: [], ...pair.difference }] : [],
  )
  return (
    <Panel
      actions={
        <>
          <span className="flex min-w-0 items-center gap-2 text-[13px] text-ink-soft">
            Compared with
            <Select
              aria-label="Baseline"
              className="max-w-56"
              onChange={(event) => onBaseline(event.target.value)}
              value={comparison.baseline ?? ""}
            >
              {arms.map(({ arm }) => (
                <option key={arm.key} value={arm.key}>
                  {arm.name}
                </option>
              ))}
            </Select>
          </span>
          {drawn.length > 0 && <PictureButtons arms={[]} name="differences" picture={picture} />}
        </>
      }
      hint="An interval that does not reach zero is a difference; overlapping intervals of the scores are no test"
      title="Differences"
    >
      {rows.length === 0 && (
        <Empty compact title="Nothing to compare">
          Two arms with returns on a common task are needed.
        </Empty>
      )}
      {rows.length > 0 && (
        <div className="grid gap-x-10 gap-y-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <div className="overflow-x-auto">
            <table className="w-full text-left">
              <thead>
                <tr>
                  <th className={HEADING}>Arm</th>
                  <th className={`${HEADING} text-right`}>
                    {`Difference in ${STATISTIC_NAMES[comparison.statistic]}`}
                  </th>
                  <th
                    className={`${HEADING} text-right`}
                    title="That a replicate of it beats one of the baseline"
                  >
                    P(improvement)
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ marked, pair }) => (
                  <tr key={pair.first}>
                    <td className={CELL}>
                      <ArmName {...marked} />
                    </td>
                    <td className={`${CELL} numeric whitespace-nowrap text-right`}>
                      {formatEstimate(pair.difference)}
                    </td>
                    <td className={`${CELL} numeric whitespace-nowrap text-right`}>
                      {formatEstimate(pair.improvement)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {drawn.length > 0 && (
            <ArmIntervals
              label={`Differences: ${drawn.map((row) => `${row.label} ${formatEstimate(row)}`).join(", ")}`}
              picture={picture}
              reference={0}
              rows={drawn}
              unit="difference"
            />
          )}
        </div>
      )}
    </Panel>
  )
}
