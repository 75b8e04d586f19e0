import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { queueQuery } from "@/api/queries"
import type { Queue } from "@/api/types"
import { QueueFilters } from "@/features/queue/QueueFilters"
import { RestingPanel } from "@/features/queue/RestingPanel"
import { RunningPanel } from "@/features/queue/RunningPanel"
import { SharesPanel } from "@/features/queue/SharesPanel"
import { WaitingPanel } from "@/features/queue/WaitingPanel"
import { PageTitle } from "@/features/shell/PageStates"
import { isFiltered, PAGE, summarise } from "@/lib/queue"
import { buttonStyle } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/queue")

/** Everyone's work: what runs where, what waits and why, and whose share is how large. */
export function QueuePage() {
  const search = route.useSearch()
  const { project = null, owner = null, priority = null, shown = PAGE } = search
  const queue = useQuery(queueQuery({ project, owner, priority, limit: shown }))
  const { data } = queue
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <PageTitle hint={data && summarise(data)}>Queue</PageTitle>
        {data && <QueueFilters shares={data.shares} />}
      </div>
      {queue.isPending && (
        <Panel>
          <Loading label="Loading the queue" lines={8} />
        </Panel>
      )}
      {queue.isError && !data && (
        <Panel>
          <Failure
            error={queue.error}
            onRetry={() => queue.refetch()}
            title="The queue could not be loaded"
          />
        </Panel>
      )}
      {data &&
        (isIdle(data) ? <Idle filtered={isFiltered(search)} slots={data.slots} /> : <Filled queue={data} />)}
    </div>
  )
}

function isIdle({ running, waiting_total, resting }: Queue): boolean {
  return running.length + waiting_total + resting.length === 0
}

function Idle({ filtered, slots }: { filtered: boolean; slots: number }) {
  if (filtered) {
    return (
      <Panel>
        <Empty
          action={
            <Link className={buttonStyle()} search={{}} to="/queue">
              Show everything
            </Link>
          }
          icon="search"
          title="Nothing of this kind runs or waits"
        />
      </Panel>
    )
  }
  const room = slots === 1 ? "One device is" : `${slots} devices are`
  return (
    <Panel>
      <Empty
        action={
          slots > 0 ? (
            <Link className={buttonStyle("primary")} to="/new">
              New experiment
            </Link>
          ) : (
            <Link className={buttonStyle("primary")} to="/workers">
              Add a worker
            </Link>
          )
        }
        icon={slots > 0 ? "check" : "device"}
        title="Nothing runs and nothing waits"
      >
        {slots > 0
          ? `${room} free: what you submit now starts within seconds.`
          : "No worker is connected. What you submit waits here until one is."}
      </Empty>
    </Panel>
  )
}

function Filled({ queue }: { queue: Queue }) {
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_340px]">
      <div className="min-w-0 space-y-5">
        <RunningPanel jobs={queue.running} />
        <WaitingPanel jobs={queue.waiting} total={queue.waiting_total} />
        {queue.resting.length > 0 && <RestingPanel jobs={queue.resting} />}
      </div>
      <SharesPanel shares={queue.shares} />
    </div>
  )
}
