import type { Comparison } from "@/api/types"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"

/** What is better, by how much, how sure; and what to doubt. */
export function VerdictPanel({ comparison }: { comparison: Comparison }) {
  const { headline, caveats } = comparison.verdict
  return (
    <Panel hint={basis(comparison)} title="Verdict">
      <p className="max-w-5xl text-pretty font-medium text-[17px] leading-7">{headline}</p>
      {caveats.length > 0 && (
        <ul aria-label="Caveats" className="mt-3 max-w-5xl space-y-1.5">
          {caveats.map(({ text }) => (
            <li className="flex gap-2 text-ink-soft" key={text}>
              <span className="mt-1 shrink-0 text-warn">
                <Icon name="alert" size={14} />
              </span>
              <span className="min-w-0 text-pretty">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function basis({ arms, at, axis, metric, tasks }: Comparison): string {
  const where = tasks.length === 1 ? ` on ${tasks[0]}` : tasks.length > 1 ? ` on ${tasks.length} tasks` : ""
  if (at !== null) return `${metric}${where} at ${axis.replaceAll("_", " ")} ${at.toLocaleString("en-US")}`
  if (metric !== "evaluation/return") return `${metric}${where}, at the last tick`
  const sources = new Set(arms.flatMap(({ replicates }) => replicates.map(({ source }) => source)))
  if (!sources.has("last")) return `Final returns${where}, in episodes that no selection saw`
  return sources.has("final")
    ? `Final returns${where}, and last returns of what has none`
    : `Last returns${where}: no arm has a final evaluation`
}
