import { Link } from "@tanstack/react-router"
import type { Worker } from "@/api/types"
import { formatAge, formatBytes } from "@/lib/format"
import { Icon } from "@/ui/Icon"
import { StatusChip, Tag } from "@/ui/StatusChip"

export function WorkerCard({ worker, now }: { worker: Worker; now: number }) {
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
