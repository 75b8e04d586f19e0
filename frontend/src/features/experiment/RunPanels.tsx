import { getRouteApi } from "@tanstack/react-router"
import { Tabs } from "radix-ui"
import { lazy, type ReactNode, Suspense } from "react"
import type { Experiment, Run } from "@/api/types"
import { AttemptsTab } from "@/features/experiment/AttemptsTab"
import { CheckpointsTab } from "@/features/experiment/CheckpointsTab"
import { FailureNotice } from "@/features/experiment/FailureNotice"
import { HyperparametersTab } from "@/features/experiment/HyperparametersTab"
import { LogsTab } from "@/features/experiment/LogsTab"
import { OverviewTab } from "@/features/experiment/overview/OverviewTab"
import { PoliciesTab } from "@/features/experiment/policies/PoliciesTab"
import { RunNotes } from "@/features/experiment/RunNotes"
import { RunSummary } from "@/features/experiment/RunSummary"
import { RuntimeTab } from "@/features/experiment/RuntimeTab"
import { useRunView } from "@/features/experiment/useRunView"
import { VideosTab } from "@/features/experiment/videos/VideosTab"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { verbsOf } from "@/lib/lifecycle"
import { TABS, type Tab } from "@/lib/search"
import { Panel } from "@/ui/Panel"
import { Failure, Loading } from "@/ui/States"

const SpecTab = lazy(async () => ({ default: (await import("@/features/experiment/SpecTab")).SpecTab }))
const route = getRouteApi("/experiments/$id")

const LABELS: Record<Tab, string> = {
  overview: "Overview",
  hyperparameters: "Hyper-parameters",
  videos: "Videos",
  policy: "Policy",
  runtime: "Runtime",
  attempts: "Attempts",
  logs: "Logs",
  spec: "Spec",
  checkpoints: "Checkpoints",
}

/** What there is to see of a run that was trained elsewhere. */
const OF_IMPORTED: ReadonlySet<Tab> = new Set(["overview", "spec"])

interface RunPanelsProps {
  experiment: Experiment
  run: Run
}

/** Everything about one run, live, in tabs. */
export function RunPanels({ experiment, run: listed }: RunPanelsProps) {
  const imported = experiment.imported !== null
  const tabs = TABS.filter((name) =>
    imported ? OF_IMPORTED.has(name) : name !== "videos" || experiment.spec.videos,
  )
  const { tab: wanted = "overview" } = route.useSearch()
  const tab = tabs.includes(wanted) ? wanted : "overview"
  const navigate = route.useNavigate()
  const { data: view, error, isPending, refetch, connected } = useRunView(listed.id)
  const run = view?.run ?? listed

  const live = (content: (ready: NonNullable<typeof view>) => ReactNode) => {
    if (view) return content(view)
    return (
      <Panel>
        {isPending ? (
          <Loading label="Loading the run" lines={8} />
        ) : (
          <Failure error={error} onRetry={() => refetch()} title="The run's history could not be loaded" />
        )}
      </Panel>
    )
  }

  return (
    <div className="space-y-5">
      <RunSummary
        actions={
          !imported &&
          experiment.runs.length > 1 && (
            <div className="flex flex-wrap gap-2">
              <VerbButtons
                owned={experiment}
                run={run.id}
                size="small"
                target={{ kind: "run", id: run.id, name: `replicate ${run.replicate}` }}
                verbs={verbsOf(run)}
              />
            </div>
          )
        }
        connected={connected}
        imported={imported}
        run={run}
      />
      {run.error && <FailureNotice failure={run.error} />}
      <RunNotes lineage={view?.lineage} run={run} />
      <Tabs.Root
        onValueChange={(next) =>
          navigate({ search: (old) => ({ ...old, tab: next === "overview" ? undefined : (next as Tab) }) })
        }
        value={tab}
      >
        <Tabs.List
          aria-label="Views of the run"
          className="mb-5 flex gap-1 overflow-x-auto border-line border-b"
        >
          {tabs.map((name) => (
            <Tabs.Trigger
              className="-mb-px h-10 whitespace-nowrap border-transparent border-b-2 px-2 font-medium sm:px-3 text-ink-soft transition-colors hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
              key={name}
              value={name}
            >
              {LABELS[name]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content tabIndex={-1} value="overview">
          {live((ready) => (
            <OverviewTab imported={imported} view={ready} />
          ))}
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="hyperparameters">
          <HyperparametersTab experiment={experiment} run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="videos">
          <VideosTab run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="policy">
          <PoliciesTab run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="runtime">
          {live((ready) => (
            <RuntimeTab view={ready} />
          ))}
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="attempts">
          <AttemptsTab run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="logs">
          <LogsTab run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="spec">
          <Suspense fallback={<Loading label="Loading the spec" />}>
            <SpecTab experiment={experiment} />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="checkpoints">
          <CheckpointsTab run={run} />
        </Tabs.Content>
      </Tabs.Root>
    </div>
  )
}
