import { getRouteApi, Link } from "@tanstack/react-router"
import type { RunningJob } from "@/api/types"
import { JobMenu } from "@/features/queue/JobMenu"
import { JobTitle } from "@/features/queue/JobTitle"
import { ROW, ROW_FACTS } from "@/features/queue/row"
import { formatDuration } from "@/lib/format"
import { shownStatus, verbsOf } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { buttonStyle } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"
import { StatusChip } from "@/ui/StatusChip"

const route = getRouteApi("/queue")

/** What is listed at first, so that what waits is not pushed away. */
const FEW = 8

/** What has devices, and where. */
export function RunningPanel({ jobs }: { jobs: readonly RunningJob[] }) {
  const now = useNow(1000)
  const { running } = route.useSearch()
  const shown = running === "all" ? jobs : jobs.slice(0, FEW)
  return (
    <Panel flush hint={jobs.length > 0 && "The longest first"} title={`Running (${jobs.length})`}>
      {jobs.length === 0 ? (
        <Empty compact icon="device" title="Nothing runs" />
      ) : (
        <ul aria-label="Running jobs" className="divide-y divide-line border-line border-t">
          {shown.map((job) => (
            <li className={ROW} key={job.id}>
              <JobTitle job={job}>
                <StatusChip status={shownStatus(job)} />
              </JobTitle>
              <div className={ROW_FACTS}>
                <p className="truncate">
                  <Link className="rounded hover:text-accent hover:underline" to="/workers">
                    {job.worker_name}
                  </Link>
                  <span className="text-ink-faint">
                    {`, ${job.slots.length === 1 ? "slot" : "slots"} ${job.slots.join(", ")}`}
                    {job.others.length > 0 && `; ${job.others.map((host) => host.worker_name).join(", ")}`}
                  </span>
                </p>
                <p className="numeric text-ink-soft">
                  {`for ${formatDuration((now - Date.parse(job.since)) / 1000)}, `}
                  {job.expected_end === null
                    ? "end not known yet"
                    : `about ${formatDuration(Math.max(0, Date.parse(job.expected_end) - now) / 1000)} left`}
                </p>
              </div>
              <JobMenu job={job} verbs={verbsOf(job)} />
            </li>
          ))}
        </ul>
      )}
      {jobs.length > FEW && (
        <p className="border-line border-t px-4 py-2 text-center">
          <Link
            className={buttonStyle("ghost", "small")}
            replace
            resetScroll={false}
            search={(old) => ({ ...old, running: running === "all" ? undefined : "all" })}
            to="/queue"
          >
            {running === "all" ? "Show fewer" : `Show all ${jobs.length}`}
          </Link>
        </p>
      )}
    </Panel>
  )
}
