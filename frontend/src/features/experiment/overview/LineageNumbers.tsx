import { useMemo } from "react"
import { OperatorGains } from "@/features/experiment/overview/OperatorGains"
import { formatPercent } from "@/lib/format"
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
          title="Copies between the youngest living member and the latest ancestor that all living members share"
          value={common ?? "none"}
        />
        <Figure
          label="Largest family"
          note="of the population"
          title="Living members that descend from the most successful founder"
          value={formatPercent(numbers.largestFamily)}
        />
      </dl>
      <OperatorGains exploits={numbers.exploits} view={view} />
    </Panel>
  )
}
