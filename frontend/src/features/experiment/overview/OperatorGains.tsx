import { useQuery } from "@tanstack/react-query"
import { operatorGainsQuery } from "@/api/lineage"
import { isActive } from "@/api/types"
import { formatValue } from "@/lib/format"
import type { RunView } from "@/lib/run/runView"

interface OperatorGainsProps {
  view: RunView
  exploits: number
}

const CELL = "py-1 pl-3 text-right"

/** Whether copies and moves paid off, by operator. */
export function OperatorGains({ view, exploits }: OperatorGainsProps) {
  const { data: gains = [] } = useQuery({
    ...operatorGainsQuery(view.run.id, exploits, isActive(view.run.status)),
    enabled: exploits > 0,
  })
  if (gains.length === 0) return null
  return (
    <table className="numeric mt-4 w-full text-[13px]">
      <caption className="eyebrow border-line border-t pt-3 pb-1 text-left">Mean gain of a birth</caption>
      <thead>
        <tr className="text-ink-faint">
          <th className="text-left font-normal" scope="col">
            by
          </th>
          <th
            className={`${CELL} font-normal`}
            scope="col"
            title="The child's first return minus that of the member it replaced"
          >
            vs replaced
          </th>
          <th
            className={`${CELL} font-normal`}
            scope="col"
            title="The child's first return minus its parent's at the same evaluation: what the changed values did"
          >
            vs parent
          </th>
        </tr>
      </thead>
      <tbody>
        {gains.map(({ operator, births, overReplaced, besideParent }) => (
          <tr key={operator}>
            <th className="text-left font-medium" scope="row">
              {operator} <span className="font-normal text-ink-faint">×{births}</span>
            </th>
            <td className={CELL}>{signed(overReplaced)}</td>
            <td className={CELL}>{signed(besideParent)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function signed(value: number | null): string {
  return value !== null && value > 0 ? `+${formatValue(value)}` : formatValue(value)
}
