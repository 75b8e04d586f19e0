import type { ComparedCurves, Reaching } from "@/api/types"
import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"
import { formatDuration, formatSteps, formatValue } from "@/lib/format"
import { CELL, HEADING } from "@/ui/tableStyle"

/** How soon each arm reaches the target; who has not is counted as slower than all who have. */
export function ReachedTable({ arms, curves }: { arms: readonly MarkedArm[]; curves: ComparedCurves }) {
  return (
    <div className="mt-4 overflow-x-auto">
      <table className="w-full text-left">
        <caption className="pb-1 text-left text-[13px] text-ink-faint">
          {`Until a return of ${formatValue(curves.target)}: medians with 95 % intervals. A replicate that has not reached it counts as slower than all that have.`}
        </caption>
        <thead>
          <tr>
            <th className={HEADING}>Arm</th>
            <th className={`${HEADING} text-right`}>Reached</th>
            <th className={`${HEADING} text-right`}>Steps per member</th>
            <th className={`${HEADING} text-right`}>Time</th>
          </tr>
        </thead>
        <tbody>
          {arms.map((marked) => {
            const curve = curves.arms.find(({ arm }) => arm === marked.arm.key)
            const steps = curve?.steps_to_target
            return (
              <tr key={marked.arm.key}>
                <td className={CELL}>
                  <ArmName {...marked} />
                </td>
                <td className={`${CELL} numeric text-right`}>
                  {steps ? `${steps.reached} of ${steps.replicates}` : "–"}
                </td>
                <td className={`${CELL} numeric text-right`}>{say(steps, formatSteps)}</td>
                <td className={`${CELL} numeric text-right`}>
                  {say(curve?.seconds_to_target, formatDuration)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function say(reaching: Reaching | null | undefined, format: (value: number) => string): string {
  if (!reaching || reaching.replicates === 0) return "–"
  const { median, low, high, replicates } = reaching
  if (median === null) return "not by half of them"
  if (replicates === 1) return format(median)
  return `${format(median)} [${low === null ? "never" : format(low)}, ${high === null ? "never" : format(high)}]`
}
