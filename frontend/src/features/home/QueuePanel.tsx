import type { UseQueryResult } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Queue, WaitingJob } from "@/api/types"
import { formatAge } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Panel } from "@/ui/Panel"
import { Failure, Loading } from "@/ui/States"

const SHOWN = 6

/** What waits, in the order in which it is served, and why. Names are there for those who may see them. */
export function QueuePanel({ queue }: { queue: UseQueryResult<Queue> }) {
  const waiting = queue.data?.waiting.filter(({ name }) => name !== null) ?? []
  return (
    <Panel
      flush
      hint={
        queue.data &&
        `${queue.data.free_slots} of ${queue.data.slots} devices are free, ${queue.data.waiting_total} runs wait`
      }
      title="Your place in the queue"
    >
      {queue.isPending && <Loading label="Loading the queue" lines={3} />}
      {queue.isError && (
        <Failure error={queue.error} onRetry={queue.refetch} title="The queue could not be loaded" />
      )}
      {queue.data && waiting.length === 0 && (
        <p className="px-5 pt-1 pb-5 text-ink-faint">Nothing of yours waits.</p>
      )}
      {waiting.length > 0 && (
        <ol className="divide-y divide-line border-line border-t">
          {waiting.slice(0, SHOWN).map((job) => (
            <li key={job.id}>
              <Waiting job={job} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function Waiting({ job }: { job: WaitingJob }) {
  const now = useNow()
  return (
    <div className="flex gap-3 px-4 py-3 sm:px-5">
      <span
        className="numeric w-9 shrink-0 font-semibold text-ink-faint text-lg leading-6"
        title="Place in the queue"
      >
        {job.position}
      </span>
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          {job.experiment_id === null ? (
            <span className="min-w-0 truncate font-medium">{job.name}</span>
          ) : (
            <Link
              className="min-w-0 truncate rounded font-medium hover:text-accent-strong hover:underline"
              params={{ id: job.experiment_id }}
              to="/experiments/$id"
            >
              {job.name}
            </Link>
          )}
          <span className="numeric ml-auto whitespace-nowrap text-[13px] text-ink-faint">
            {formatAge(job.since, now)}
          </span>
        </p>
        <p className="text-[13px] text-ink-soft">{job.explanation}</p>
      </div>
    </div>
  )
}
