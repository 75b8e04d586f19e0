import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { evaluationsQuery } from "@/api/evaluations"
import type { EvaluationSummary } from "@/api/generated/types.gen"
import { EvaluationForm } from "@/features/evaluations/EvaluationForm"
import { EvaluationItem } from "@/features/evaluations/EvaluationItem"
import { useFreshLists } from "@/lib/live/useFreshLists"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const NONE: readonly EvaluationSummary[] = []

interface EvaluatePanelProps {
  run: number
  trained: { suite: string; id: string } | undefined
  whyNothing: string | null
}

/** Fresh episodes of a run's policy on a worker: asked for here, and what they came to. */
export function EvaluatePanel({ run, trained, whyNothing }: EvaluatePanelProps) {
  const found = useQuery(evaluationsQuery(run))
  useFreshLists("evaluation", "evaluations", found.data?.items ?? NONE)
  return (
    <Panel
      actions={
        <Link className="text-[13px] text-accent hover:underline" to="/evaluations">
          All evaluations
        </Link>
      }
      hint="A worker plays fresh episodes, which no selection saw, and films some"
      title="Evaluate"
    >
      <EvaluationForm run={run} trained={trained} whyNothing={whyNothing} />
      <div className="mt-5 border-line border-t pt-4">
        {found.isPending && <Loading label="Loading evaluations" />}
        {found.isError && !found.data && (
          <Failure
            error={found.error}
            onRetry={() => found.refetch()}
            title="The evaluations could not be loaded"
          />
        )}
        {found.data?.items.length === 0 && (
          <Empty compact icon="play" title="No evaluation yet">
            What the policy earns in new episodes appears here.
          </Empty>
        )}
        <ul className="divide-y divide-line">
          {found.data?.items.map((evaluation) => (
            <li className="py-4 first:pt-0 last:pb-0" key={evaluation.id}>
              <EvaluationItem evaluation={evaluation} />
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  )
}
