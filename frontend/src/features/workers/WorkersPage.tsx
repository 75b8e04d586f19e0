import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { workersQuery } from "@/api/queries"
import type { Worker } from "@/api/types"
import { PageTitle } from "@/features/shell/PageStates"
import { formatAge, formatBytes } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"
import { StatusChip, Tag } from "@/ui/StatusChip"

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

function WorkerCard({ worker, now }: { worker: Worker; now: number }) {
  const count = worker.device_count === 1 ? "" : `${worker.device_count} × `
  return (
    <li className="flex flex-col rounded-card border border-line bg-surface p-5 shadow-card">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate font-semibold text-[15px]">{worker.name}</h2>
          <p className="flex min-w-0 items-center gap-1.5 text-ink-soft">
            <Icon name="device" />
            <span className="truncate">{`${count}${worker.device_name}`}</span>
          </p>
        </div>
        <StatusChip status={worker.state} />
      </div>
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        <dt className="text-ink-faint">Run</dt>
        <dd>
          {worker.run_id === null ? (
            <span className="text-ink-faint">{worker.state === "busy" ? "a runtime study" : "none"}</span>
          ) : (
            <Link
              className="rounded font-medium text-accent hover:underline"
              params={{ id: String(worker.run_id) }}
              to="/runs/$id"
            >
              Run {worker.run_id}
            </Link>
          )}
        </dd>
        <dt className="text-ink-faint">Device</dt>
        <dd>{`${worker.device.toUpperCase()}, ${formatBytes(worker.memory_bytes)}`}</dd>
        <dt className="text-ink-faint">Last seen</dt>
        <dd className="numeric">
          <time dateTime={worker.last_seen_at}>{formatAge(worker.last_seen_at, now)}</time>
        </dd>
        <dt className="text-ink-faint">Suites</dt>
        <dd className="flex flex-wrap gap-1">
          {worker.suites.map((suite) => (
            <Tag key={suite}>{suite}</Tag>
          ))}
        </dd>
      </dl>
      <p className="numeric mt-4 border-line border-t pt-3 text-[13px] text-ink-faint">
        {Object.entries(worker.versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(" · ")}
      </p>
    </li>
  )
}
