import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { operatorGainsQuery } from "@/api/lineage"
import { isActive } from "@/api/types"
import { formatPercent, formatValue } from "@/lib/format"
import { lineageStatistics } from "@/lib/lineage/ancestry"
import type { RunView } from "@/lib/run/runView"
import { Figure } from "@/ui/Figure"
import { Panel } from "@/ui/Panel"

export function LineageNumbers({ view }: { view: RunView }) {
  const { spans } = view.lineage
  const numbers = useMemo(() => lineageStatistics(spans), [spans])
  const common = numbers.generationsToCommonAncestor
  return (
    <Panel title="Lineage in numbers">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-4">
        <Figure label="Exploits" note="copies so far" value={numbers.exploits} />
        <Figure label="Founders alive" note={`of ${numbers.founders}`} value={numbers.foundersAlive} />
        <Figure
          label="Common ancestor"
          note={common === null ? "several founders" : common === 1 ? "generation back" : "generations back"}
          title="Copies between the latest ancestor that all living members share and its most distant living descendant"
          value={common ?? "none"}
        />
        <Figure
          label="Largest family"
          note="of the population"
          title="Living members that descend from the founder with the most living descendants"
          value={formatPercent(numbers.largestFamily)}
        />
      </dl>
      <OperatorGains exploits={numbers.exploits} view={view} />
    </Panel>
  )
}

interface OperatorGainsProps {
  view: RunView
  exploits: number
}

const CELL = "py-1 pl-3 text-right"

/** Whether copies and mutations paid off, by operator. */
function OperatorGains({ view, exploits }: OperatorGainsProps) {
  const { data: gains = [] } = useQuery({
    ...operatorGainsQuery(view.run.id, exploits, isActive(view.run.status)),
    enabled: exploits > 0,
  })
  if (gains.length === 0) return null
  return (
    <table className="numeric mt-4 w-full text-[13px]">
      <caption className="eyebrow border-line border-t pt-3 pb-1 text-left">Mean gain per birth</caption>
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
            title="The child's first return minus its parent's at the same evaluation"
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
