import { useQuery } from "@tanstack/react-query"
import { lineageSummaryQuery } from "@/api/lineage"
import { isActive } from "@/api/types"
import { AncestryPanel } from "@/features/experiment/overview/AncestryPanel"
import { CurvesPanel } from "@/features/experiment/overview/CurvesPanel"
import { LineageNumbers } from "@/features/experiment/overview/LineageNumbers"
import { LineagePanel } from "@/features/experiment/overview/LineagePanel"
import { MemberList } from "@/features/experiment/overview/MemberList"
import { useOverview } from "@/features/experiment/overview/useOverview"
import type { RunView } from "@/lib/run/runView"

/** Curves above, timeline below, on one axis; a selection in one is highlighted in all. */
export function OverviewTab({ view, imported = false }: { view: RunView; imported?: boolean }) {
  const { state, curves, colour, mode, change } = useOverview(view)
  const births = view.lineage.spans.length
  const { data: summary } = useQuery(lineageSummaryQuery(state.source, births, isActive(view.run.status)))
  // Nobody knows who descended from whom elsewhere.
  if (imported) return <CurvesPanel curves={curves} onChange={change} state={state} view={view} />
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_304px]">
      <div className="min-w-0 space-y-5">
        <CurvesPanel curves={curves} onChange={change} state={state} view={view} />
        <LineagePanel colour={colour} lineage={view.lineage} mode={mode} onChange={change} state={state} />
      </div>
      <div className="grid min-w-0 items-start gap-5 md:grid-cols-2 xl:row-span-2 xl:grid-cols-1">
        <LineageNumbers summary={summary} />
        <MemberList spans={view.lineage.spans} state={state} summary={summary} />
      </div>
      <AncestryPanel lineage={view.lineage} state={state} />
    </div>
  )
}
