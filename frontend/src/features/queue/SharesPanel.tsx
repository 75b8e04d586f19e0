import type { Share } from "@/api/types"
import { formatPercent, formatValue } from "@/lib/format"
import { groupShares } from "@/lib/queue"
import { classes } from "@/ui/classes"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

/** Whose share is how large: what was used lately beside what is due. */
export function SharesPanel({ shares }: { shares: readonly Share[] }) {
  return (
    <Panel hint="Recent use; what lies a day back counts half. The mark is what is due." title="Shares">
      {shares.length === 0 ? (
        <Empty compact title="Nobody has used a device yet" />
      ) : (
        <ul className="space-y-4">
          {groupShares(shares).map(({ whole, people }) => (
            <li key={whole.project_id}>
              <ShareRow name={whole.project} share={whole} strong />
              {people.length > 0 && (
                <ul className="mt-2 space-y-2 pl-3">
                  {people.map((person) => (
                    <li key={person.user_id}>
                      <ShareRow name={person.user ?? ""} share={person} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

interface ShareRowProps {
  name: string
  share: Share
  strong?: boolean
}

function ShareRow({ name, share, strong = false }: ShareRowProps) {
  const used = formatPercent(share.used_share)
  const due = formatPercent(share.entitled_share)
  const facts = [
    strong && `weight ${formatValue(share.weight)}`,
    `${formatValue(share.used_device_hours)} device-hours`,
    share.devices > 0 && `${share.devices} in use`,
  ].filter(Boolean)
  return (
    <div>
      <p className="flex items-baseline justify-between gap-3">
        <span className={classes("truncate", strong ? "font-medium" : "text-[13px] text-ink-soft")}>
          {name}
        </span>
        <span className="numeric shrink-0 text-[13px] text-ink-soft">{`${used} used, ${due} due`}</span>
      </p>
      <div
        aria-label={`${name}: ${used} of recent use, due ${due}`}
        className={classes("relative mt-1 rounded-full bg-line", strong ? "h-2" : "h-1.5")}
        role="img"
      >
        <div
          className={classes("h-full rounded-full", strong ? "bg-accent" : "bg-accent/60")}
          style={{ width: `${Math.min(100, share.used_share * 100)}%` }}
        />
        <span
          className="-top-0.5 -bottom-0.5 absolute w-0.5 rounded bg-ink"
          style={{ left: `calc(${Math.min(100, share.entitled_share * 100)}% - 1px)` }}
        />
      </div>
      <p className="numeric mt-0.5 text-[12px] text-ink-faint">{facts.join(" · ")}</p>
    </div>
  )
}
