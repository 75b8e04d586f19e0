import { useQuery } from "@tanstack/react-query"
import { workerLoadQuery } from "@/api/queries"
import type { Worker } from "@/api/types"
import { LoadBars } from "@/charts/LoadBars"
import { useMe } from "@/features/account/useMe"
import { Quarantine } from "@/features/workers/Quarantine"
import { SlotList } from "@/features/workers/SlotList"
import { Versions } from "@/features/workers/Versions"
import { WorkerActions } from "@/features/workers/WorkerActions"
import { formatAge, formatBytes, formatPercent } from "@/lib/format"
import { averageLoad } from "@/lib/workers"
import { Icon } from "@/ui/Icon"
import { StatusChip, Tag } from "@/ui/StatusChip"

/** A worker: how it is, what it does, what it did in the last day. */
export function WorkerCard({ worker, now }: { worker: Worker; now: number }) {
  const accounts = useMe()?.has_accounts
  const count = worker.device_count === 1 ? "" : `${worker.device_count} × `
  return (
    <li
      aria-label={worker.name}
      className="flex min-w-0 flex-col rounded-card border border-line bg-surface p-5 shadow-card"
    >
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate font-semibold text-[15px]" title={worker.name}>
            {worker.name}
          </h2>
          <p className="flex min-w-0 items-center gap-1.5 text-ink-soft">
            <Icon name="device" />
            <span className="truncate">{`${count}${worker.device_name}`}</span>
          </p>
        </div>
        <StatusChip status={worker.state} />
      </div>
      {worker.reason !== null && <Quarantine now={now} worker={worker} />}
      <SlotList slots={worker.slots} />
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        <dt className="text-ink-faint">Device</dt>
        <dd>{`${worker.device.toUpperCase()}, ${formatBytes(worker.memory_bytes)}`}</dd>
        <dt className="text-ink-faint">Last seen</dt>
        <dd className="numeric">
          <time dateTime={worker.last_seen_at}>{formatAge(worker.last_seen_at, now)}</time>
        </dd>
        {worker.draining_since !== null && (
          <>
            <dt className="text-ink-faint">Draining</dt>
            <dd>{`It gets no new job; asked for ${formatAge(worker.draining_since, now)}`}</dd>
          </>
        )}
        {accounts && worker.enrolled_by && (
          <>
            <dt className="text-ink-faint">Enrolled by</dt>
            <dd className="truncate">{worker.enrolled_by}</dd>
          </>
        )}
        <dt className="text-ink-faint">Suites</dt>
        <dd className="flex flex-wrap gap-1">
          {worker.suites.map((suite) => (
            <Tag key={suite}>{suite}</Tag>
          ))}
        </dd>
        {worker.labels.length > 0 && (
          <>
            <dt className="text-ink-faint">Labels</dt>
            <dd className="flex flex-wrap gap-1">
              {worker.labels.map((label) => (
                <Tag key={label} tone="waiting">
                  {label}
                </Tag>
              ))}
            </dd>
          </>
        )}
      </dl>
      <Load id={worker.id} name={worker.name} />
      <Versions worker={worker} />
      {worker.may_operate && <WorkerActions worker={worker} />}
    </li>
  )
}

/** How busy it was, half hour by half hour. */
function Load({ id, name }: { id: number; name: string }) {
  const load = useQuery(workerLoadQuery(id))
  const average = load.data && formatPercent(averageLoad(load.data.busy))
  return (
    <div className="mt-4">
      <p className="flex justify-between gap-3 text-[13px] text-ink-faint">
        <span>Load of the last day</span>
        <span className="numeric">{average ? `${average} busy` : load.isError ? "not known" : "…"}</span>
      </p>
      <div className="mt-1.5 h-9">
        {load.data && (
          <LoadBars label={`${name} was busy ${average} of the last day`} shares={load.data.busy} />
        )}
      </div>
    </div>
  )
}
