import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Summary } from "@/api/types"
import { formatAge, formatPercent, formatSteps } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Progress } from "@/ui/Progress"
import { Tag } from "@/ui/StatusChip"

/** The experiment's name, and below it the children and its error. */
export function Name({ experiment, children }: { experiment: Summary; children?: ReactNode }) {
  return (
    <div className="min-w-0 max-w-72">
      <Link
        className="block truncate rounded font-medium hover:text-accent-strong hover:underline"
        onClick={(event) => event.stopPropagation()}
        params={{ id: experiment.id }}
        to="/experiments/$id"
      >
        {experiment.name}
      </Link>
      <div className="flex items-center gap-1.5 text-[13px]">
        {children}
        {experiment.error_message && (
          <p className="min-w-0 truncate text-bad" title={experiment.error_message}>
            {experiment.error_message}
          </p>
        )}
      </div>
    </div>
  )
}

export function GroupLink({ group }: { group: Summary["group"] }) {
  if (!group) return null
  return (
    <Link
      className="max-w-40 shrink-0 truncate rounded text-ink-faint hover:text-accent-strong hover:underline"
      onClick={(event) => event.stopPropagation()}
      params={{ id: group.id }}
      title={`Group ${group.name}`}
      to="/groups/$id"
    >
      {group.name}
    </Link>
  )
}

/** At most three; the others are counted. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <>
      {tags.slice(0, 3).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {tags.length > 3 && <span className="text-ink-faint">{`+${tags.length - 3}`}</span>}
    </>
  )
}

export function Method({ experiment }: { experiment: Summary }) {
  return (
    <span className="whitespace-nowrap">
      {experiment.algorithm.toUpperCase()}
      <span className="text-ink-faint"> · </span>
      {experiment.method.toUpperCase().replaceAll("_", "-")}
    </span>
  )
}

export function StepProgress({ experiment }: { experiment: Summary }) {
  const share = experiment.step / Math.max(1, experiment.total_steps)
  const tone = experiment.status === "failed" ? "bad" : experiment.status === "stopped" ? "quiet" : "accent"
  return (
    <div className="w-32">
      <div className="numeric flex justify-between text-[12px] text-ink-faint">
        <span>{`${formatSteps(experiment.step)} / ${formatSteps(experiment.total_steps)}`}</span>
        <span>{formatPercent(share)}</span>
      </div>
      <Progress className="mt-1" label={`Progress of ${experiment.name}`} share={share} tone={tone} />
    </div>
  )
}

export function Age({ timestamp }: { timestamp: string }) {
  const now = useNow()
  return (
    <time
      className="numeric whitespace-nowrap text-ink-soft"
      dateTime={timestamp}
      title={new Date(timestamp).toLocaleString()}
    >
      {formatAge(timestamp, now)}
    </time>
  )
}
