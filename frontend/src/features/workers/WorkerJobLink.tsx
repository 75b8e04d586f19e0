import { Link } from "@tanstack/react-router"
import type { WorkerJob } from "@/api/types"

const LINK = "min-w-0 truncate rounded font-medium text-accent hover:underline"

export function WorkerJobLink({ job }: { job: WorkerJob }) {
  return job.kind === "run" ? (
    <Link className={LINK} params={{ id: String(job.id) }} title={job.name} to="/runs/$id">
      {`Run ${job.id} · ${job.name}`}
    </Link>
  ) : (
    <Link className={LINK} search={{ ids: [job.id] }} title={job.name} to="/studies">
      {`Study ${job.id} · ${job.name}`}
    </Link>
  )
}
