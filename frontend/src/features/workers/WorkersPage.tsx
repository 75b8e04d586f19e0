import { useQuery } from "@tanstack/react-query"
import { workersQuery } from "@/api/queries"
import { PageTitle } from "@/features/shell/PageStates"
import { WorkerCard } from "@/features/workers/WorkerCard"
import { useNow } from "@/lib/useNow"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

export function WorkersPage() {
  const workers = useQuery(workersQuery)
  const now = useNow(1000)
  const alive = workers.data?.filter(({ state }) => state !== "lost").length ?? 0
  return (
    <div className="space-y-5">
      <PageTitle hint={workers.data?.length ? `${alive} of ${workers.data.length} connected` : undefined}>
        Workers
      </PageTitle>
      {workers.isPending && (
        <Panel>
          <Loading label="Loading workers" />
        </Panel>
      )}
      {workers.isError && !workers.data && (
        <Panel>
          <Failure
            error={workers.error}
            onRetry={() => workers.refetch()}
            title="The workers could not be loaded"
          />
        </Panel>
      )}
      {workers.data?.length === 0 && (
        <Panel>
          <Empty icon="device" title="No worker has connected yet">
            <p>A worker trains populations on its machine's devices. Start one with</p>
            <pre className="mx-auto mt-3 w-fit rounded-lg bg-sunken px-4 py-2 text-ink">phylon worker</pre>
            <p className="mt-3 text-[13px] text-ink-faint">
              On another machine set PHYLON_API_URL, PHYLON_REDIS_URL and PHYLON_WORKER_TOKEN first.
            </p>
          </Empty>
        </Panel>
      )}
      <ul className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
        {workers.data?.map((worker) => (
          <WorkerCard key={worker.id} now={now} worker={worker} />
        ))}
      </ul>
    </div>
  )
}
