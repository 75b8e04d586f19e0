import { useRef } from "react"
import type { Comparison } from "@/api/types"
import { BandChart } from "@/charts/BandChart"
import type { MarkedArm } from "@/features/compare/arms"
import { PictureButtons } from "@/features/compare/PictureButtons"
import { formatTick } from "@/lib/format"
import { metricLabel } from "@/lib/metricLabel"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

/** Which share of an arm's replicates is above each score. */
export function ProfilePanel({ arms, comparison }: { arms: readonly MarkedArm[]; comparison: Comparison }) {
  const picture = useRef<SVGSVGElement>(null)
  const { profiles } = comparison
  const lines = arms.flatMap(({ arm, colour, dash }) => {
    const found = profiles?.arms.find((each) => each.arm === arm.key)
    if (!profiles || !found) return []
    const { share: y, low, high } = found
    return [{ key: arm.key, label: arm.name, colour, dash, x: profiles.thresholds, y, low, high }]
  })
  return (
    <Panel
      actions={lines.length > 0 && <PictureButtons arms={arms} name="profile" picture={picture} />}
      hint="Share of replicates whose score is above the threshold: higher is better everywhere"
      title="Performance profile"
    >
      {lines.length > 0 ? (
        <BandChart
          formatX={formatTick}
          label={`Share of replicates above each score, ${lines.map(({ label }) => label).join(", ")}`}
          lines={lines}
          picture={picture}
          xUnit={metricLabel(comparison.metric).toLowerCase()}
          yUnit="share of replicates"
        />
      ) : (
        <Empty compact title="No profile">
          It needs returns on one scale.
        </Empty>
      )}
    </Panel>
  )
}
