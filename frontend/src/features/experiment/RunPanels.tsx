import { getRouteApi } from "@tanstack/react-router"
import { Tabs } from "radix-ui"
import { lazy, type ReactNode, Suspense } from "react"
import type { Experiment, Run, RunFailure } from "@/api/types"
import { CheckpointsTab } from "@/features/experiment/CheckpointsTab"
import { LogsTab } from "@/features/experiment/LogsTab"
import { OverviewTab } from "@/features/experiment/overview/OverviewTab"
import { RunSummary } from "@/features/experiment/RunSummary"
import { RuntimeTab } from "@/features/experiment/RuntimeTab"
import { useRunView } from "@/features/experiment/useRunView"
import { VideosTab } from "@/features/experiment/videos/VideosTab"
import { formatName, formatSlot, formatValue } from "@/lib/format"
import { TABS, type Tab } from "@/lib/search"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Failure, Loading } from "@/ui/States"

const SpecTab = lazy(async () => ({ default: (await import("@/features/experiment/SpecTab")).SpecTab }))
const route = getRouteApi("/experiments/$id")

const LABELS: Record<Tab, string> = {
  overview: "Overview",
  videos: "Videos",
  runtime: "Runtime",
  logs: "Logs",
  spec: "Spec",
  checkpoints: "Checkpoints",
}

interface RunPanelsProps {
  experiment: Experiment
  run: Run
}

/** Everything about one run, live, in tabs. */
export function RunPanels({ experiment, run: listed }: RunPanelsProps) {
  const tabs = TABS.filter((name) => name !== "videos" || experiment.spec.videos)
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
      <RunSummary connected={connected} run={run} />
      {run.error && <FailureNotice failure={run.error} />}
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
            <OverviewTab view={ready} />
          ))}
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="videos">
          <VideosTab run={run} />
        </Tabs.Content>
        <Tabs.Content tabIndex={-1} value="runtime">
          {live((ready) => (
            <RuntimeTab view={ready} />
          ))}
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

/** Why a run failed, in which member, and the remedy. */
function FailureNotice({ failure }: { failure: RunFailure }) {
  return (
    <section className="rounded-card border border-bad/40 bg-bad-soft px-4 py-4 sm:px-5" role="alert">
      <h2 className="flex items-center gap-2 font-semibold text-bad">
        <Icon name="alert" />
        The run failed{failure.member !== null && ` in member ${formatSlot(failure.member)}`}
      </h2>
      <p className="mt-1.5 break-words">{failure.message}</p>
      {failure.remedy && <p className="mt-1 text-ink-soft">{failure.remedy}</p>}
      {failure.hyperparams && (
        <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
          {Object.entries(failure.hyperparams).map(([name, value]) => (
            <div className="flex gap-2" key={name}>
              <dt className="text-ink-soft">{formatName(name)}</dt>
              <dd className="numeric font-medium">{formatValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
