import type { SelectionNoise } from "@/api/types"
import { describeNoise } from "@/features/explain/words"
import { formatPercent } from "@/lib/format"
import { Figure } from "@/ui/Figure"
import { Panel } from "@/ui/Panel"

/** Below this probability of being ahead, a copy is little better than the toss of a coin. */
const COIN = 0.75

/** How much of selection was luck. */
export function NoisePanel({ noise }: { noise: SelectionNoise }) {
  const known = noise.donors.filter(({ ahead_again }) => ahead_again !== null)
  const tosses = known.filter(({ ahead_again }) => ahead_again! < COIN).length
  return (
    <Panel
      hint="Fitness drawn again around what was measured, with the standard error of the evaluation"
      title="Selection noise"
    >
      <p className="max-w-3xl text-ink-soft">{describeNoise(noise)}</p>
      {noise.ahead_again !== null && (
        <dl className="mt-4 grid grid-cols-2 gap-4 sm:grid-cols-3">
          <Figure
            label="Donor ahead again"
            note="of the member it replaced"
            value={formatPercent(noise.ahead_again)}
          />
          {noise.donor_again !== null && (
            <Figure
              label="Donor chosen again"
              note={noise.chance === null ? "" : `by lot ${formatPercent(noise.chance)}`}
              value={formatPercent(noise.donor_again)}
            />
          )}
          {known.length > 0 && (
            <Figure
              label="Coin tosses"
              note={`of ${known.length} copies, ahead with less than ${formatPercent(COIN)}`}
              value={tosses}
            />
          )}
        </dl>
      )}
    </Panel>
  )
}
