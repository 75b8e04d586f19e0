import type { Worker } from "@/api/types"
import { WorkerJobLink } from "@/features/workers/WorkerJobLink"
import { formatAge } from "@/lib/format"

/** Why it gets no jobs, and the jobs that led to it. */
export function Quarantine({ worker, now }: { worker: Worker; now: number }) {
  return (
    <div className="mt-4 rounded-lg bg-bad-soft px-3 py-2 text-[13px] text-bad">
      <p className="whitespace-pre-line break-words">{worker.reason}</p>
      {worker.blamed_for.length > 0 && (
        <ul aria-label="Jobs that crashed here" className="mt-1.5 flex flex-col">
          {worker.blamed_for.map((job) => (
            <li className="flex min-w-0" key={job.job_id}>
              <WorkerJobLink job={job} />
            </li>
          ))}
        </ul>
      )}
      {worker.quarantined_at !== null && (
        <p className="mt-1">{`Quarantined ${formatAge(worker.quarantined_at, now)}. Let it back once the cause is mended.`}</p>
      )}
    </div>
  )
}
