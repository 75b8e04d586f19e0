import { useQuery } from "@tanstack/react-query"
import { workersQuery } from "@/api/queries"
import { PageTitle } from "@/features/shell/PageStates"
import { AddWorker } from "@/features/workers/AddWorker"
import { WorkerCard } from "@/features/workers/WorkerCard"
import { useNow } from "@/lib/useNow"
import { inOrder, summarise } from "@/lib/workers"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

export function WorkersPage() {
  const workers = useQuery(workersQuery)
  const now = useNow(1000)
  const { data } = workers
  return (
    <div className="space-y-5">
      <PageTitle hint={data?.length ? summarise(data) : undefined}>Workers</PageTitle>
      {workers.isPending && (
        <Panel>
          <Loading label="Loading workers" />
        </Panel>
      )}
      {workers.isError && !data && (
        <Panel>
          <Failure
            error={workers.error}
            onRetry={() => workers.refetch()}
            title="The workers could not be loaded"
          />
        </Panel>
      )}
      {data?.length === 0 && (
        <Panel>
          <Empty icon="device" title="No worker has connected yet">
            A worker trains populations on its machine's devices. Start the first one as below; it appears
            here within seconds.
          </Empty>
        </Panel>
      )}
      {data && data.length > 0 && (
        <ul aria-label="Workers" className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
          {inOrder(data).map((worker) => (
            <WorkerCard key={worker.id} now={now} worker={worker} />
          ))}
        </ul>
      )}
      {data && <AddWorker />}
    </div>
  )
}
