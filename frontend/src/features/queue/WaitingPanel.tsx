import { getRouteApi } from "@tanstack/react-router"
import type { WaitingJob } from "@/api/types"
import { JobMenu } from "@/features/queue/JobMenu"
import { JobTitle } from "@/features/queue/JobTitle"
import { ROW, ROW_FACTS } from "@/features/queue/row"
import { formatDuration } from "@/lib/format"
import { verbsOf } from "@/lib/lifecycle"
import { MOST_SHOWN, PAGE } from "@/lib/queue"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

const route = getRouteApi("/queue")
const QUEUED = { status: "queued" }

interface WaitingPanelProps {
  jobs: readonly WaitingJob[]
  total: number
}

/** What waits: in which place, why, and when it is expected to start. */
export function WaitingPanel({ jobs, total }: WaitingPanelProps) {
  const now = useNow(5000)
  return (
    <Panel
      flush
      hint={total > 0 && "In the order in which they are served; one that does not fit holds up nobody"}
      title={`Waiting (${total.toLocaleString("en-US")})`}
    >
      {total === 0 ? (
        <Empty compact icon="check" title="Nothing waits" />
      ) : (
        <ol aria-label="Waiting jobs" className="divide-y divide-line border-line border-t">
          {jobs.map((job) => (
            <li className={ROW} data-position={job.position} key={job.id}>
              <div className="flex min-w-0 items-start gap-3">
                <span
                  className="numeric min-w-7 pt-px text-right font-semibold text-ink-soft"
                  title="Position"
                >
                  {job.position}
                </span>
                <JobTitle job={job} />
              </div>
              <div className={ROW_FACTS}>
                <p className="text-pretty">{job.explanation}</p>
                <p className="numeric text-ink-faint" title={job.basis}>
                  {`It has waited for ${formatDuration((now - Date.parse(job.since)) / 1000)}. `}
                  {expectation(job, now)}
                </p>
              </div>
              <JobMenu job={job} verbs={verbsOf(QUEUED)} waits />
            </li>
          ))}
        </ol>
      )}
      {total > jobs.length && <More shown={jobs.length} total={total} />}
    </Panel>
  )
}

function expectation({ expected_start, basis }: WaitingJob, now: number): string {
  if (expected_start === null) return `Start unknown: ${basis.charAt(0).toLowerCase()}${basis.slice(1)}`
  const seconds = Math.max(0, Date.parse(expected_start) - now) / 1000
  return `Expected to start in ${formatDuration(seconds)}, by ${basis.charAt(0).toLowerCase()}${basis.slice(1)}`
}

function More({ shown, total }: { shown: number; total: number }) {
  const navigate = route.useNavigate()
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-line border-t px-4 py-3 text-[13px] text-ink-soft">
      {`${shown.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} are listed.`}
      {shown < MOST_SHOWN ? (
        <Button
          onClick={() =>
            navigate({
              search: (old) => ({ ...old, shown: Math.min(MOST_SHOWN, shown + PAGE) }),
              replace: true,
              resetScroll: false,
            })
          }
          size="small"
        >
          {`Show ${PAGE} more`}
        </Button>
      ) : (
        " Choose a project, owner or class to see the others."
      )}
    </div>
  )
}
