import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { evaluationQuery, evaluationsQuery } from "@/api/evaluations"
import type { EvaluationSummary } from "@/api/generated/types.gen"
import { EvaluationItem } from "@/features/evaluations/EvaluationItem"
import { PageTitle } from "@/features/shell/PageStates"
import { useFreshLists } from "@/lib/live/useFreshLists"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

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
  return <Listed evaluations={found.data?.items} failure={found.error} onRetry={() => found.refetch()} />
}

function One({ id }: { id: number }) {
  const found = useQuery(evaluationQuery(id))
  return (
    <Listed evaluations={found.data && [found.data]} failure={found.error} onRetry={() => found.refetch()} />
  )
}

interface ListedProps {
  evaluations: readonly EvaluationSummary[] | undefined
  failure: unknown
  onRetry: () => void
}

const NONE: readonly EvaluationSummary[] = []

function Listed({ evaluations, failure, onRetry }: ListedProps) {
  useFreshLists("evaluation", "evaluations", evaluations ?? NONE)
  if (evaluations === undefined) {
    return (
      <Panel>
        {failure ? (
          <Failure error={failure} onRetry={onRetry} title="The evaluations could not be loaded" />
        ) : (
          <Loading label="Loading evaluations" />
        )}
      </Panel>
    )
  }
  if (evaluations.length === 0) {
    return (
      <Panel>
        <Empty icon="play" title="No evaluation yet">
          Start one on the Policy tab of a run, or with phylon play RUN --on-worker.
        </Empty>
      </Panel>
    )
  }
  return evaluations.map((evaluation) => (
    <Panel className="pt-4" key={evaluation.id}>
      <EvaluationItem evaluation={evaluation} />
    </Panel>
  ))
}
