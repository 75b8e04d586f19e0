import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { ApiError } from "@/api/errors"
import { groupQuery } from "@/api/queries"
import type { Group, GroupExperiment } from "@/api/types"
import { ExperimentCards } from "@/features/experiments/ExperimentCards"
import { AggregatePanel } from "@/features/group/AggregatePanel"
import { ArmsPanel } from "@/features/group/ArmsPanel"
import { GroupHeader } from "@/features/group/GroupHeader"
import { GroupTable } from "@/features/group/GroupTable"
import { NotFound } from "@/features/shell/PageStates"
import { formatValue } from "@/lib/format"
import { useMediaQuery } from "@/lib/useMediaQuery"
import { buttonStyle } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/groups/$id")

/** Experiments that were submitted together: each one, and their aggregate. */
export function GroupPage() {
  const { id } = route.useParams()
  const possible = Number.isSafeInteger(id) && id > 0
  const query = useQuery({ ...groupQuery(id), enabled: possible })
  if (!possible || (query.error instanceof ApiError && query.error.status === 404)) return <NotFound />
  if (query.isPending) {
    return (
      <Panel>
        <Loading label="Loading the group" lines={8} />
      </Panel>
    )
  }
  if (!query.data) {
    return (
      <Panel>
        <Failure error={query.error} onRetry={() => query.refetch()} title="The group could not be loaded" />
      </Panel>
    )
  }
  return (
    <div className="space-y-5">
      <GroupHeader group={query.data} />
      {query.data.of === "tasks" ? (
        <AggregatePanel group={query.data} />
      ) : (
        query.data.size > 0 && <ArmsPanel group={query.data} />
      )}
      <Experiments group={query.data} />
    </div>
  )
}

function Experiments({ group }: { group: Group }) {
  const wide = useMediaQuery("(min-width: 900px)")
  return (
    <Panel
      actions={
        group.size > 0 && (
          <Link
            className={buttonStyle("secondary", "small")}
            search={{ query: `group = "${group.name}"` }}
            to="/experiments"
          >
            Show in the list
          </Link>
        )
      }
      flush
      title={group.size === 1 ? "1 experiment" : `${group.size} experiments`}
    >
      {group.experiments.length === 0 && (
        <Empty title="No experiments are left">All experiments of this group were deleted.</Empty>
      )}
      {group.experiments.length > 0 &&
        (wide ? (
          <GroupTable experiments={group.experiments} />
        ) : (
          <div className="border-line border-t">
            <ExperimentCards experiments={group.experiments} figure={scoreOf} />
          </div>
        ))}
    </Panel>
  )
}

function scoreOf({ score, is_final }: GroupExperiment): string {
  return `${is_final ? "final" : "last"} ${formatValue(score)}`
}
