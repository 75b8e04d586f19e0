import type { Rank } from "@/api/types"
import { formatDuration } from "@/lib/format"
import { slowRank } from "@/lib/ranks"
import { Tag } from "@/ui/StatusChip"

const PHASES: Record<string, string> = {
  sent: "not there yet",
  preparing: "prepares",
  ready: "waits for the others",
  training: "trains",
  ended: "has ended",
}

interface RankListProps {
  ranks: readonly Rank[]
  /** Whether the attempt is over, so that phases say nothing any more. */
  ended: boolean
  onLog: (rank: number) => void
}

/** The hosts of an attempt that several have together: how far each is, and which one the others wait for. */
export function RankList({ ranks, ended, onLog }: RankListProps) {
  const slow = slowRank(ranks)
  return (
    <ol aria-label="Hosts" className="grid gap-x-6 gap-y-1 text-[13px] sm:grid-cols-2 md:col-span-3">
      {ranks.map((rank) => (
        <li className="flex min-w-0 flex-wrap items-center gap-x-2" key={rank.rank}>
          <button
            aria-label={`Log of rank ${rank.rank}`}
            className="numeric rounded text-ink-soft hover:text-accent hover:underline"
            onClick={() => onLog(rank.rank)}
            type="button"
          >
            {`Rank ${rank.rank}`}
          </button>
          <span className="truncate" title={rank.address ?? undefined}>
            {rank.host && rank.host !== rank.worker_name
              ? `${rank.worker_name} on ${rank.host}`
              : rank.worker_name}
          </span>
          <span className="numeric text-ink-faint">
            {[
              `${rank.slots.length === 1 ? "slot" : "slots"} ${rank.slots.join(", ")}`,
              !ended && (PHASES[rank.phase] ?? rank.phase),
              rank.seconds_per_segment !== null && `${formatDuration(rank.seconds_per_segment)} per segment`,
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
          {slow === rank.rank && <Tag tone="warn">Slow</Tag>}
        </li>
      ))}
    </ol>
  )
}
