import type { EnvironmentCheck } from "@/api/generated/types.gen"
import { isActive } from "@/api/types"
import { Belonging } from "@/features/account/Belonging"
import { EnvironmentReport, VerdictTag } from "@/features/environmentChecks/EnvironmentReport"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { formatAge } from "@/lib/format"
import { shownStatus, verbsOf } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Empty, Loading } from "@/ui/States"
import { StatusChip } from "@/ui/StatusChip"

/** One check: how far it is, and its report or why there is none. */
export function EnvironmentCheckItem({ check }: { check: EnvironmentCheck }) {
  const now = useNow(10_000)
  const { id, name, status, verdict, report, error, remedy } = check
  const options = Object.keys(check.options).length > 0 && JSON.stringify(check.options)
  const facts = [check.suite, options, check.worker_name, formatAge(check.created_at, now)].filter(Boolean)
  return (
    <article aria-label={`Check ${id} of ${name}`} className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-56">
          <p className="flex flex-wrap items-center gap-2">
            <span className="break-all font-medium">{name}</span>
            <StatusChip status={shownStatus(check)} testId={`environment-check-${id}-status`} />
            {verdict && <VerdictTag verdict={verdict} />}
          </p>
          <p className="numeric truncate text-[13px] text-ink-faint">{facts.join(" · ")}</p>
          <p className="truncate text-[13px] text-ink-faint">
            <Belonging owner={check.owner} project={check.project} />
          </p>
        </div>
        <VerbButtons
          of={`check ${id}`}
          owned={check}
          size="small"
          target={{ kind: "environment_check", id, name }}
          verbs={verbsOf(check).filter((verb) => verb !== "extend")}
        />
      </div>
      {error && (
        <div className="rounded-lg bg-bad-soft px-4 py-3" role="alert">
          <p className="break-words font-medium text-bad">{error}</p>
          {remedy && <p className="break-words text-ink-soft">{remedy}</p>}
        </div>
      )}
      {report && <EnvironmentReport report={report} />}
      {!report && isActive(status) && <Loading label="A worker tries the environment" lines={4} />}
      {!report && !error && !isActive(status) && (
        <Empty compact title="There is no report">
          It was stopped before it was done.
        </Empty>
      )}
    </article>
  )
}
