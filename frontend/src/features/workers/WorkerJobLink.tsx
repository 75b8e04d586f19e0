import { Link } from "@tanstack/react-router"
import type { WorkerJob } from "@/api/types"

const LINK = "min-w-0 truncate rounded font-medium text-accent hover:underline"

export function WorkerJobLink({ job: { kind, id, name } }: { job: WorkerJob }) {
  const look = { className: LINK, title: name }
  switch (kind) {
    case "run":
      return (
        <Link {...look} params={{ id: String(id) }} to="/runs/$id">
          {`Run ${id} · ${name}`}
        </Link>
      )
    case "study":
      return (
        <Link {...look} search={{ ids: [id] }} to="/studies">
          {`Study ${id} · ${name}`}
        </Link>
      )
    case "evaluation":
      return (
        <Link {...look} search={{ id }} to="/evaluations">
          {`Evaluation ${id} · ${name}`}
        </Link>
      )
    case "environment_check":
      return (
        <Link {...look} search={{ id }} to="/environment-checks">
          {`Check ${id} · ${name}`}
        </Link>
      )
  }
}
