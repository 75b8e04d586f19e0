import type { RunFailure } from "@/api/types"
import { formatName, formatSlot, formatValue } from "@/lib/format"
import { Icon } from "@/ui/Icon"

/** Why a run failed, in which member, and the remedy. */
export function FailureNotice({ failure }: { failure: RunFailure }) {
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
