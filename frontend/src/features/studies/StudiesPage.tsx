import { useQueries, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { studiesQuery, studyQuery } from "@/api/queries"
import type { Study, StudySummary } from "@/api/types"
import { PageTitle } from "@/features/shell/PageStates"
import { NewStudy } from "@/features/studies/NewStudy"
import { StudyFindings } from "@/features/studies/StudyFindings"
import { StudyList } from "@/features/studies/StudyList"
import { useStudyStream } from "@/features/studies/useStudyStream"
import { useChosenProject } from "@/lib/project"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/studies")

/** What updating a population costs, by framework and strategy, on one device or several. */
export function StudiesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const project = useChosenProject()
  const list = useQuery({ ...studiesQuery, select: (all) => all.filter((each) => isOf(each, project)) })
  const newest = list.data?.find(({ done }) => done > 0) ?? list.data?.[0]
  const chosen = search.ids ?? (newest ? [newest.id] : [])
  const found = useQueries({ queries: chosen.map(studyQuery) })
  const studies = found.flatMap(({ data }) => (data ? [data] : []))
  useStudyStream(studies)
  const failure = found.find(({ isError, data }) => isError && !data)

  function choose(ids: number[]) {
    void navigate({ search: (before) => ({ ...before, ids }), replace: true })
  }

  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <PageTitle hint="What updating a whole population costs on your devices">Runtime studies</PageTitle>
        <NewStudy onStarted={({ id }) => choose([id])} />
      </div>
      {list.isPending && (
        <Panel>
          <Loading label="Loading the studies" lines={6} />
        </Panel>
      )}
      {list.isError && !list.data && (
        <Panel>
          <Failure
            error={list.error}
            onRetry={() => list.refetch()}
            title="The studies could not be loaded"
          />
        </Panel>
      )}
      {list.data?.length === 0 && (
        <Panel>
          <Empty icon="device" title="No studies yet">
            <p>
              Start one of the studies above on a worker, or measure another machine and upload the result:
            </p>
            <pre className="mx-auto mt-3 w-fit max-w-full overflow-x-auto rounded-lg bg-sunken px-4 py-2 text-left text-ink">
              phylon study figure2-td3-sac-smoke --upload
            </pre>
          </Empty>
        </Panel>
      )}
      {list.data && list.data.length > 0 && (
        <StudyList chosen={chosen} onChoose={choose} studies={list.data} />
      )}
      {failure && (
        <Panel>
          <Failure
            error={failure.error}
            onRetry={() => failure.refetch()}
            title="A study could not be loaded"
          />
        </Panel>
      )}
      {found.some(({ isPending }) => isPending) && chosen.length > 0 && (
        <Panel>
          <Loading label="Loading what was measured" lines={8} />
        </Panel>
      )}
      {studies.length > 0 && <Findings studies={studies} />}
    </div>
  )
}

function isOf(study: StudySummary, project: number | null): boolean {
  return project === null || study.project.id === project
}

function Findings({ studies }: { studies: Study[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (studies.every(({ measurements }) => measurements.length === 0)) {
    return (
      <Panel>
        <Empty title="No cells measured yet">
          {studies.map(({ error, progress }) => error ?? progress)[0] ??
            "It waits for a worker. The first numbers appear once all contenders have run the same work."}
        </Empty>
      </Panel>
    )
  }
  return (
    <StudyFindings
      baseline={search.baseline}
      onBaseline={(baseline) => navigate({ search: (before) => ({ ...before, baseline }), replace: true })}
      onShape={(shape) => navigate({ search: (before) => ({ ...before, shape }), replace: true })}
      shape={search.shape}
      studies={studies}
    />
  )
}
