import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { environmentCheckQuery, environmentChecksQuery } from "@/api/environmentChecks"
import type { EnvironmentCheck } from "@/api/generated/types.gen"
import { EnvironmentCheckItem } from "@/features/environmentChecks/EnvironmentCheckItem"
import { PageTitle } from "@/features/shell/PageStates"
import { PanelList } from "@/features/shell/PanelList"
import { useFreshLists } from "@/lib/live/useFreshLists"

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
  return <Listed found={found} things={found.data?.items} />
}

function One({ id }: { id: number }) {
  const found = useQuery(environmentCheckQuery(id))
  return <Listed found={found} things={found.data && [found.data]} />
}

const NONE: readonly EnvironmentCheck[] = []
const EMPTY = {
  title: "No check yet",
  advice:
    "Start one beside the environment of a new experiment, or with phylon check-environment ID --on-worker.",
}

interface ListedProps {
  things: readonly EnvironmentCheck[] | undefined
  found: { error: unknown; refetch: () => unknown }
}

function Listed({ things, found }: ListedProps) {
  useFreshLists("environment_check", "environment-checks", things ?? NONE)
  return (
    <PanelList empty={EMPTY} failure={found.error} name="checks" onRetry={found.refetch} things={things}>
      {(check) => <EnvironmentCheckItem check={check} />}
    </PanelList>
  )
}
