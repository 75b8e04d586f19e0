import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { ApiError } from "@/api/errors"
import { experimentQuery } from "@/api/queries"
import type { Experiment, Run } from "@/api/types"
import { ControlsPanel } from "@/features/experiment/ControlsPanel"
import { ExperimentHeader } from "@/features/experiment/ExperimentHeader"
import { ForkLinks } from "@/features/experiment/ForkLinks"
import { OrganisePanel } from "@/features/experiment/OrganisePanel"
import { RunPanels } from "@/features/experiment/RunPanels"
import { NotFound } from "@/features/shell/PageStates"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/experiments/$id")

/** The run named in the address, else the first running one, else the first. */
function chooseRun(experiment: Experiment, wanted: number | undefined): Run | undefined {
  const { runs } = experiment
  return runs.find(({ id }) => id === wanted) ?? runs.find(({ status }) => status === "running") ?? runs[0]
}

export function ExperimentPage() {
  const { id } = route.useParams()
  const { run: wanted } = route.useSearch()
  const possible = Number.isSafeInteger(id) && id > 0
  const query = useQuery({ ...experimentQuery(id), enabled: possible })
  if (!possible || (query.error instanceof ApiError && query.error.status === 404)) return <NotFound />
  if (query.isPending) {
    return (
      <Panel>
        <Loading label="Loading the experiment" lines={8} />
      </Panel>
    )
  }
  if (!query.data) {
    return (
      <Panel>
        <Failure
          error={query.error}
          onRetry={() => query.refetch()}
          title="The experiment could not be loaded"
        />
      </Panel>
    )
  }
  const run = chooseRun(query.data, wanted)
  if (!run) {
    return (
      <Panel>
        <Empty title="This experiment has no runs" />
      </Panel>
    )
  }
  return (
    <div className="space-y-5">
      <ExperimentHeader experiment={query.data} run={run} />
      <ForkLinks experiment={query.data} run={run} />
      {run.status === "finished" && <ControlsPanel key={`controls ${run.id}`} run={run} />}
      <OrganisePanel experiment={query.data} />
      <RunPanels experiment={query.data} key={run.id} run={run} />
    </div>
  )
}
