import type { EnvironmentReport as Report } from "@/api/generated/types.gen"
import { Tag } from "@/ui/StatusChip"

const VERDICTS = {
  ok: { tone: "good", label: "fine" },
  slow: { tone: "warn", label: "slow" },
  wrong: { tone: "bad", label: "wrong" },
} as const

/** The worst of what was found, in a word. */
export function VerdictTag({ verdict }: { verdict: keyof typeof VERDICTS }) {
  return <Tag tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</Tag>
}

/** What a check found, and what to do about it. */
export function EnvironmentReport({ report }: { report: Report }) {
  return (
    <div className="space-y-3" data-testid="environment-report">
      <ul className="divide-y divide-line">
        {report.findings.map(({ subject, verdict, message, remedy }) => (
          <li className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[9rem_1fr]" key={`${subject} ${message}`}>
            <p className="flex items-center gap-2 self-start font-medium">
              <VerdictTag verdict={verdict} />
              <span className="inline-block first-letter:uppercase">{subject}</span>
            </p>
            <div className="min-w-0 text-[13px]">
              <p className="break-words">{message}</p>
              {remedy && <p className="break-words text-ink-soft">To do: {remedy}</p>}
            </div>
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-ink-soft">
        {report.algorithms.length > 0
          ? `Algorithms that can learn here: ${report.algorithms.join(", ")}`
          : "No algorithm can learn here; its spaces would have to change."}
      </p>
    </div>
  )
}
