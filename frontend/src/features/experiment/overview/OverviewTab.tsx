import { AncestryPanel } from "@/features/experiment/overview/AncestryPanel"
import { CurvesPanel } from "@/features/experiment/overview/CurvesPanel"
import { LineageNumbers } from "@/features/experiment/overview/LineageNumbers"
import { LineagePanel } from "@/features/experiment/overview/LineagePanel"
import { MemberList } from "@/features/experiment/overview/MemberList"
import { useOverview } from "@/features/experiment/overview/useOverview"
import type { RunView } from "@/lib/run/runView"

/** Curves above, river below, on one axis; what is chosen in one is lit in all. */
export function OverviewTab({ view }: { view: RunView }) {
  const overview = useOverview(view)
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_304px]">
      <div className="min-w-0 space-y-5">
        <CurvesPanel overview={overview} view={view} />
        <LineagePanel overview={overview} view={view} />
      </div>
      <div className="grid min-w-0 items-start gap-5 md:grid-cols-2 xl:row-span-2 xl:grid-cols-1">
        <LineageNumbers view={view} />
        <MemberList overview={overview} view={view} />
      </div>
      <AncestryPanel lineage={view.lineage} state={overview} />
    </div>
  )
}
