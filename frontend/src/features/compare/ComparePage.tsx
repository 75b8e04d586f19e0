import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { comparisonQuery } from "@/api/queries"
import { type Comparison, isActive } from "@/api/types"
import { ArmPicker, type Chosen } from "@/features/compare/ArmPicker"
import { markArms } from "@/features/compare/arms"
import { BudgetsPanel } from "@/features/compare/BudgetsPanel"
import { ChosenArms } from "@/features/compare/ChosenArms"
import { CompareToolbar } from "@/features/compare/CompareToolbar"
import { ConfigPanel } from "@/features/compare/ConfigPanel"
import { CurvesPanel } from "@/features/compare/CurvesPanel"
import { DifferencesPanel } from "@/features/compare/DifferencesPanel"
import { ExplanationSection } from "@/features/compare/ExplanationSection"
import { ProfilePanel } from "@/features/compare/ProfilePanel"
import { ScoresPanel } from "@/features/compare/ScoresPanel"
import { VerdictPanel } from "@/features/compare/VerdictPanel"
import { PageTitle } from "@/features/shell/PageStates"
import type { CompareSearch } from "@/lib/search"
import { useTheme } from "@/lib/theme"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/compare")

/** Experiments and groups beside each other: what is better, by how much, and how sure. */
export function ComparePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const chosen: Chosen = { experiments: search.experiments ?? [], groups: search.groups ?? [] }
  const isEmpty = chosen.experiments.length + chosen.groups.length === 0
  const query = useQuery({ ...comparisonQuery(search), enabled: !isEmpty })

  function change(change: Partial<CompareSearch>) {
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  }

  /** Another set of arms may lack the baseline or the environment that was chosen for the last one. */
  function choose({ experiments, groups }: Chosen) {
    change({ experiments: some(experiments), groups: some(groups), baseline: undefined, task: undefined })
  }

  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <PageTitle hint="What is better, by how much, and how sure">Compare</PageTitle>
        <ArmPicker chosen={chosen} onChange={choose} primary={isEmpty} />
      </div>
      {isEmpty && (
        <Panel>
          <Empty icon="columns" title="Choose what to compare">
            Two or more experiments with the same environment, or groups. Each replicate of an experiment
            counts once; ten of each make intervals trustworthy.
          </Empty>
        </Panel>
      )}
      {!isEmpty && <ChosenArms chosen={chosen} comparison={query.data} onChange={choose} />}
      {!isEmpty && query.isPending && (
        <Panel>
          <Loading label="Comparing" lines={8} />
        </Panel>
      )}
      {!isEmpty && query.isError && !query.isPlaceholderData && (
        <Panel>
          <Failure
            error={query.error}
            onRetry={() => query.refetch()}
            title="The comparison could not be made"
          />
        </Panel>
      )}
      {!isEmpty && query.data && !query.isError && (
        <>
          <CompareToolbar comparison={query.data} onChange={change} search={search} />
          <Findings comparison={query.data} onChange={change} search={search} />
        </>
      )}
    </div>
  )
}

interface FindingsProps {
  comparison: Comparison
  search: CompareSearch
  onChange: (change: Partial<CompareSearch>) => void
}

function Findings({ comparison, search, onChange }: FindingsProps) {
  const arms = markArms(comparison.arms, useTheme())
  const active = comparison.arms.some(({ experiments }) => experiments.some(({ status }) => isActive(status)))
  return (
    <>
      <VerdictPanel comparison={comparison} />
      <CurvesPanel active={active} arms={arms} search={search} />
      <ScoresPanel arms={arms} comparison={comparison} search={search} />
      <DifferencesPanel
        arms={arms}
        comparison={comparison}
        onBaseline={(baseline) => onChange({ baseline })}
      />
      <div className="grid gap-5 2xl:grid-cols-2">
        <ProfilePanel arms={arms} comparison={comparison} />
        <BudgetsPanel arms={arms} search={search} />
      </div>
      <ConfigPanel arms={arms} comparison={comparison} />
      <ExplanationSection active={active} search={search} />
    </>
  )
}

function some(ids: readonly number[]): number[] | undefined {
  return ids.length ? [...ids] : undefined
}
