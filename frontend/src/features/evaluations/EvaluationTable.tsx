import { Link } from "@tanstack/react-router"
import type { EvaluatedPolicy, EvaluationSummary } from "@/api/generated/types.gen"
import { describeChoice, describeMean } from "@/lib/evaluations"
import { formatValue } from "@/lib/format"
import { classes } from "@/ui/classes"
import { CELL, HEADING } from "@/ui/tableStyle"

const NUMBER = "numeric whitespace-nowrap text-right"

/** What each policy earned; several stand beside the first one, episode by episode. */
export function EvaluationTable({ evaluation }: { evaluation: EvaluationSummary }) {
  const several = evaluation.policies.length > 1
  const numbers = ["Return (95 %)", ...(several ? ["Difference (95 %)"] : []), "Smallest", "Largest", "Steps"]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="w-full text-left" data-testid="evaluation-table">
        <thead>
          <tr>
            <th className={HEADING} scope="col">
              Policy
            </th>
            {[...numbers, "Episodes"].map((name) => (
              <th className={classes(HEADING, "text-right")} key={name} scope="col">
                {name}
              </th>
            ))}
            <th className={HEADING} scope="col">
              Environment
            </th>
          </tr>
        </thead>
        <tbody>
          {evaluation.policies.map((policy, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a policy may be named twice, and none moves
            <PolicyRow evaluation={evaluation} key={place} policy={policy} several={several} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface PolicyRowProps {
  evaluation: EvaluationSummary
  policy: EvaluatedPolicy
  several: boolean
}

function PolicyRow({ evaluation, policy, several }: PolicyRowProps) {
  const { summary, loaded, difference } = policy
  const values = [
    summary ? describeMean(summary) : "–",
    ...(several ? [difference ? describeMean(difference) : "–"] : []),
    formatValue(summary?.smallest),
    formatValue(summary?.largest),
    formatValue(summary?.length),
    `${summary?.episodes ?? 0} / ${evaluation.episodes}`,
  ]
  return (
    <tr>
      <td className={CELL}>
        {policy.run_id === null ? (
          policy.name
        ) : (
          <Link
            className="font-medium hover:text-accent hover:underline"
            params={{ id: String(policy.run_id) }}
            to="/runs/$id"
          >
            {policy.name}, run {policy.run_id}
          </Link>
        )}
        <span className="block whitespace-nowrap text-[13px] text-ink-faint">
          {describeChoice(policy.choice, policy.step)}
        </span>
      </td>
      {values.map((value, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
        <td className={classes(CELL, NUMBER, place === 0 && "font-medium")} key={place}>
          {value}
        </td>
      ))}
      <td className={CELL}>
        <span className="whitespace-nowrap">
          {loaded?.environment ?? evaluation.environment ?? "as trained"}
        </span>
        <span className="block whitespace-nowrap text-[13px] text-ink-faint">
          {loaded ? (loaded.deterministic ? "likeliest actions" : "drawn actions") : "not begun"}
        </span>
      </td>
    </tr>
  )
}
