import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { QueueJob } from "@/api/types"
import { describeKind, jobName } from "@/lib/queue"
import { Tag } from "@/ui/StatusChip"

const LINK = "truncate rounded font-medium hover:text-accent hover:underline"

/** What a job is, whose, and of which class. */
export function JobTitle({ job, children }: { job: QueueJob; children?: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="flex min-w-0 items-center gap-2">
        <JobLink job={job} />
        {job.priority !== "normal" && (
          <Tag tone={job.priority === "high" ? "warn" : "neutral"}>{`${job.priority} class`}</Tag>
        )}
        {children}
      </p>
      <p className="numeric truncate text-[13px] text-ink-faint">
        {[
          job.owner,
          job.project,
          numberOf(job),
          `job ${job.id}`,
          job.hosts > 1 && `${job.hosts} hosts`,
          job.devices > 1 && `${job.devices} devices`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </div>
  )
}

function numberOf({ kind, payload_id }: QueueJob): string {
  const word = describeKind(kind)
  return payload_id === null ? word : `${word} ${payload_id}`
}

function JobLink({ job }: { job: QueueJob }) {
  const name = jobName(job)
  if (job.experiment_id !== null && job.run_id !== null) {
    return (
      <Link
        className={LINK}
        params={{ id: job.experiment_id }}
        search={{ run: job.run_id }}
        title={name}
        to="/experiments/$id"
      >
        {name}
      </Link>
    )
  }
  const look = { className: LINK, title: name }
  if (job.payload_id !== null) {
    switch (job.kind) {
      case "study":
        return (
          <Link {...look} search={{ ids: [job.payload_id] }} to="/studies">
            {name}
          </Link>
        )
      case "evaluation":
        return (
          <Link {...look} search={{ id: job.payload_id }} to="/evaluations">
            {name}
          </Link>
        )
      case "environment_check":
        return (
          <Link {...look} search={{ id: job.payload_id }} to="/environment-checks">
            {name}
          </Link>
        )
    }
  }
  return <span className="truncate font-medium text-ink-soft">{name}</span>
}
