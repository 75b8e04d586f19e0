import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { evaluationQuery, evaluationsQuery } from "@/api/evaluations"
import type { EvaluationSummary } from "@/api/generated/types.gen"
import { EvaluationItem } from "@/features/evaluations/EvaluationItem"
import { PageTitle } from "@/features/shell/PageStates"
import { PanelList } from "@/features/shell/PanelList"
import { useFreshLists } from "@/lib/live/useFreshLists"

const route = getRouteApi("/evaluations")

/** All evaluations of saved policies, or the one that a link names. */
export function EvaluationsPage() {
  const { id } = route.useSearch()
  return (
    <div className="space-y-5">
      <PageTitle hint="Saved policies in fresh episodes on a worker">
        {id === undefined ? "Evaluations" : `Evaluation ${id}`}
      </PageTitle>
      {id === undefined ? <All /> : <One id={id} />}
    </div>
  )
}

function All() {
  const found = useQuery(evaluationsQuery())
  return <Listed found={found} things={found.data?.items} />
}

function One({ id }: { id: number }) {
  const found = useQuery(evaluationQuery(id))
  return <Listed found={found} things={found.data && [found.data]} />
}

const NONE: readonly EvaluationSummary[] = []
const EMPTY = {
  title: "No evaluation yet",
  advice: "Start one on the Policy tab of a run, or with phylon play RUN --on-worker.",
}

interface ListedProps {
  things: readonly EvaluationSummary[] | undefined
  found: { error: unknown; refetch: () => unknown }
}

function Listed({ things, found }: ListedProps) {
  useFreshLists("evaluation", "evaluations", things ?? NONE)
  return (
    <PanelList empty={EMPTY} failure={found.error} name="evaluations" onRetry={found.refetch} things={things}>
      {(evaluation) => <EvaluationItem evaluation={evaluation} />}
    </PanelList>
  )
}
