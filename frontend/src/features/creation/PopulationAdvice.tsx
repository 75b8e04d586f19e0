import { useQuery } from "@tanstack/react-query"
import { adviceQuery } from "@/api/queries"
import type { Advice } from "@/api/types"
import { SpeedNote } from "@/features/creation/SpeedNote"
import { WorkerRow } from "@/features/creation/WorkerRow"
import { formatBytes } from "@/lib/format"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

/** How many members fit on each worker, and up to which number one more is nearly free. */
export function PopulationAdvice({ yaml }: { yaml: string }) {
  const advice = useQuery(adviceQuery(yaml))
  return (
    <Panel
      hint="What fits into the workers' memory, and what one more member costs"
      title="How many members?"
    >
      {advice.data ? (
        <Findings advice={advice.data} />
      ) : advice.isError ? (
        <Failure
          error={advice.error}
          onRetry={() => advice.refetch()}
          title="The advice on population size could not be loaded"
        />
      ) : (
        <Loading className="px-0 py-2" label="Looking at workers and studies" />
      )}
    </Panel>
  )
}

function Findings({ advice }: { advice: Advice }) {
  return (
    <div className="space-y-4">
      {advice.workers.length === 0 ? (
        <Empty compact icon="device" title="No worker is connected">
          Start one with <code>phylon worker</code> to see how many members fit on it.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {advice.workers.map((worker) => (
            <WorkerRow advice={advice} key={worker.worker_id} worker={worker} />
          ))}
        </ul>
      )}
      {advice.elsewhere.length > 0 && (
        <div>
          <h3 className="eyebrow mb-2">Measured on other devices</h3>
          <ul className="space-y-3">
            {advice.elsewhere.map((speed) => (
              <li key={speed.study_id}>
                <p className="mb-1 truncate font-medium text-[13px]">{speed.device_name}</p>
                <SpeedNote members={advice.members} speed={speed} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className="text-[13px] text-ink-faint">{`Per member: ${ownMemory(advice)}`}</p>
    </div>
  )
}

function ownMemory(advice: Advice): string {
  const parts = [
    `${formatBytes(advice.member_state_bytes)} of state`,
    `${formatBytes(advice.member_step_bytes)} more during updates`,
    `${formatBytes(advice.member_host_bytes)} of host memory`,
  ]
  if (advice.shared_bytes > 0) parts.push(`${formatBytes(advice.shared_bytes)} shared by all members`)
  return `${parts.join(", ")}. Environments are not counted.`
}
