import { useQuery } from "@tanstack/react-query"
import { comparedBudgetsQuery } from "@/api/queries"
import type { ComparedBudgets } from "@/api/types"
import { phaseColour } from "@/charts/PhaseChart"
import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"
import { formatCount, formatSeconds } from "@/lib/format"
import { PHASES } from "@/lib/phases"
import type { CompareSearch } from "@/lib/search"
import { useTheme } from "@/lib/theme"
import { Panel } from "@/ui/Panel"
import { Failure, Loading } from "@/ui/States"
import { CELL, HEADING } from "@/ui/tableStyle"

/** What a run of each arm has spent. */
export function BudgetsPanel({ arms, search }: { arms: readonly MarkedArm[]; search: CompareSearch }) {
  const query = useQuery(comparedBudgetsQuery(search))
  return (
    <Panel hint="Means over the runs of each arm; bars share one scale" title="Budgets">
      {query.isPending && <Loading label="Loading the budgets" lines={4} />}
      {query.isError && !query.data && (
        <Failure
          error={query.error}
          onRetry={() => query.refetch()}
          title="The budgets could not be loaded"
        />
      )}
      {query.data && <Budgets arms={arms} budgets={query.data} />}
    </Panel>
  )
}

function Budgets({ arms, budgets }: { arms: readonly MarkedArm[]; budgets: ComparedBudgets }) {
  const theme = useTheme()
  const longest = Math.max(1e-9, ...budgets.arms.map(({ budget }) => budget.seconds ?? 0))
  const used = PHASES.filter((phase) => budgets.arms.some(({ seconds }) => (seconds[phase] ?? 0) > 0))
  return (
    <>
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr>
              <th className={HEADING}>Arm</th>
              <th className={`${HEADING} text-right`}>Steps per member</th>
              <th className={`${HEADING} text-right`}>All members</th>
              <th className={`${HEADING} text-right`}>Updates</th>
              <th className={`${HEADING} text-right`}>Time</th>
              <th className={`${HEADING} w-2/5 min-w-40`}>By phase</th>
            </tr>
          </thead>
          <tbody>
            {arms.map((marked) => {
              const found = budgets.arms.find(({ arm }) => arm === marked.arm.key)
              if (!found) return null
              const { budget, seconds } = found
              const said = used.map((phase) => `${phase} ${formatSeconds(seconds[phase] ?? 0)}`).join(", ")
              return (
                <tr key={marked.arm.key}>
                  <td className={CELL}>
                    <ArmName {...marked} />
                  </td>
                  <td className={`${CELL} numeric text-right`}>{formatCount(budget.env_steps)}</td>
                  <td className={`${CELL} numeric text-right`}>{formatCount(budget.total_env_steps)}</td>
                  <td className={`${CELL} numeric text-right`}>{formatCount(budget.updates)}</td>
                  <td className={`${CELL} numeric whitespace-nowrap text-right`}>
                    {formatSeconds(budget.seconds)}
                  </td>
                  <td className={CELL}>
                    {said === "" ? (
                      <span className="text-ink-faint">Not reported</span>
                    ) : (
                      <div
                        aria-label={said}
                        className="flex h-4 overflow-hidden rounded"
                        role="img"
                        title={said}
                      >
                        {used.map((phase) => (
                          <span
                            key={phase}
                            style={{
                              background: phaseColour(phase, theme),
                              width: `${(100 * (seconds[phase] ?? 0)) / longest}%`,
                            }}
                          />
                        ))}
                      </div>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <ul aria-label="Phases" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-ink-soft">
        {used.map((phase) => (
          <li className="flex items-center gap-1.5" key={phase}>
            <span className="size-2.5 rounded-full" style={{ background: phaseColour(phase, theme) }} />
            {phase}
          </li>
        ))}
      </ul>
    </>
  )
}
