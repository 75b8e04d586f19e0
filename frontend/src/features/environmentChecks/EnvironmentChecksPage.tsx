import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { environmentCheckQuery, environmentChecksQuery } from "@/api/environmentChecks"
import type { EnvironmentCheck } from "@/api/generated/types.gen"
import { EnvironmentCheckItem } from "@/features/environmentChecks/EnvironmentCheckItem"
import { PageTitle } from "@/features/shell/PageStates"
import { useFreshLists } from "@/lib/live/useFreshLists"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/environment-checks")

/** All checks of environments, or the one that a link names. */
export function EnvironmentChecksPage() {
  const { id } = route.useSearch()
  return (
    <div className="space-y-5">
      <PageTitle hint="What environments really do, tried by a worker that offers them">
        {id === undefined ? "Checks of environments" : `Check ${id}`}
      </PageTitle>
      {id === undefined ? <All /> : <One id={id} />}
    </div>
  )
}

function All() {
  const found = useQuery(environmentChecksQuery)
  return <Listed checks={found.data?.items} failure={found.error} onRetry={() => found.refetch()} />
}

function One({ id }: { id: number }) {
  const found = useQuery(environmentCheckQuery(id))
  return <Listed checks={found.data && [found.data]} failure={found.error} onRetry={() => found.refetch()} />
}

const NONE: readonly EnvironmentCheck[] = []

interface ListedProps {
  checks: readonly EnvironmentCheck[] | undefined
  failure: unknown
  onRetry: () => void
}

function Listed({ checks, failure, onRetry }: ListedProps) {
  useFreshLists("environment_check", "environment-checks", checks ?? NONE)
  if (checks === undefined) {
    return (
      <Panel>
        {failure ? (
          <Failure error={failure} onRetry={onRetry} title="The checks could not be loaded" />
        ) : (
          <Loading label="Loading checks" />
        )}
      </Panel>
    )
  }
  if (checks.length === 0) {
    return (
      <Panel>
        <Empty icon="search" title="No check yet">
          Start one beside the environment of a new experiment, or with phylon check-environment ID
          --on-worker.
        </Empty>
      </Panel>
    )
  }
  return checks.map((check) => (
    <Panel className="pt-4" key={check.id}>
      <EnvironmentCheckItem check={check} />
    </Panel>
  ))
}
