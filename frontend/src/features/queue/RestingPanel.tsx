import type { RestingJob } from "@/api/types"
import { JobMenu } from "@/features/queue/JobMenu"
import { JobTitle } from "@/features/queue/JobTitle"
import { ROW, ROW_FACTS } from "@/features/queue/row"
import { formatAge } from "@/lib/format"
import { verbsOf } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Panel } from "@/ui/Panel"
import { StatusChip } from "@/ui/StatusChip"

/** What waits for a person: paused, or failed within the last day. */
export function RestingPanel({ jobs }: { jobs: readonly RestingJob[] }) {
  const now = useNow()
  return (
    <Panel flush hint="Paused, or failed within the last day" title={`Waiting for someone (${jobs.length})`}>
      <ul aria-label="Jobs that wait for someone" className="divide-y divide-line border-line border-t">
        {jobs.map((job) => (
          <li className={ROW} key={job.id}>
            <JobTitle job={job}>
              <StatusChip status={job.status} />
            </JobTitle>
            <div className={ROW_FACTS}>
              <p className="line-clamp-2 break-words">
                {job.error ?? "It keeps its checkpoint until it is resumed or stopped."}
              </p>
              {job.since && <p className="numeric text-ink-faint">{formatAge(job.since, now)}</p>}
            </div>
            <JobMenu job={job} verbs={verbsOf(job)} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
