import type { LineageSummary } from "@/api/types"
import { decodeOptional } from "@/lib/decode"
import { formatPercent, formatValue } from "@/lib/format"
import { Figure } from "@/ui/Figure"
import { Panel } from "@/ui/Panel"

/** Statistics of the whole lineage; dashes until they are loaded. */
export function LineageNumbers({ summary }: { summary: LineageSummary | undefined }) {
  const common = summary?.generations_to_common_ancestor
  return (
    <Panel title="Lineage in numbers">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-4">
        <Figure label="Exploits" note="copies so far" value={summary?.exploits ?? "–"} />
        <Figure
          label="Founders alive"
          note={summary ? `of ${summary.founders}` : ""}
          title="Founders with living descendants"
          value={summary?.founders_alive.length ?? "–"}
        />
        <Figure
          label="Common ancestor"
          note={common == null ? "several founders" : common === 1 ? "generation back" : "generations back"}
          title="Copies between the latest ancestor that all living members share and its most distant living descendant"
          value={summary ? (common ?? "none") : "–"}
        />
        <Figure
          label="Largest family"
          note="of the population"
          title="Living members that descend from the founder with the most living descendants"
          value={formatPercent(summary?.founders_alive[0]?.share)}
        />
      </dl>
      {summary && <OperatorGains operators={summary.operators} />}
    </Panel>
  )
}

const CELL = "py-1 pl-3 text-right"

/** Whether copies and mutations paid off, by operator. */
function OperatorGains({ operators }: Pick<LineageSummary, "operators">) {
  if (operators.length === 0) return null
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
        {operators.map(({ operator, births, over_replaced, beside_parent }) => (
          <tr key={operator}>
            <th className="text-left font-medium" scope="row">
              {operator} <span className="font-normal text-ink-faint">×{births}</span>
            </th>
            <td className={CELL}>{signed(decodeOptional(over_replaced))}</td>
            <td className={CELL}>{signed(decodeOptional(beside_parent))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function signed(value: number | null): string {
  return value !== null && value > 0 ? `+${formatValue(value)}` : formatValue(value)
}
