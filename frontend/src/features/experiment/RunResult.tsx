import type { ReactNode } from "react"
import { type FinalReturn, isActive, type Run } from "@/api/types"
import { formatValue, formatWithInterval } from "@/lib/format"

/** What a run has come to. Nothing while it goes on; without a final evaluation its last return, named as such. */
export function RunResult({ run, imported = false }: { run: Run; imported?: boolean }) {
  const { final } = run
  if (imported) return <ImportedResult run={run} />
  if (final !== null)
    return (
      <Headline
        beside={`Best during training ${formatValue(run.best_return)}`}
        label="Final return"
        note={`${final.episodes} unseen episodes, 95 % interval`}
        value={formatWithInterval(final.mean, final.low, final.high)}
      >
        {explainDifference(final)}
      </Headline>
    )
  if (isActive(run.status))
    return run.step < run.total_steps ? null : (
      <p className="mt-4 text-[13px] text-ink-soft" data-testid="run-result" role="status">
        Training is done. The last population plays episodes that no selection saw; its log shows how far it
        is.
      </p>
    )
  if (run.last_return === null) return null
  return (
    <Headline
      label="Last return"
      note="best member, last evaluation in training"
      value={formatValue(run.last_return)}
    >
      This run has no final evaluation. The best of several noisy evaluations is partly luck, so expect less.
    </Headline>
  )
}

/** Of a run that was trained elsewhere: what its files say, and no more. */
function ImportedResult({ run: { final, last_return } }: { run: Run }) {
  if (final === null)
    return (
      <Headline label="Last return" note="the last on its curve" value={formatValue(last_return)}>
        The files name no return in unseen episodes, so a comparison takes this one.
      </Headline>
    )
  const episodes = final.episodes === null ? "" : `${final.episodes} `
  return (
    <Headline
      beside={`Last on its curve ${formatValue(last_return)}`}
      label="Final return"
      note={`${episodes}unseen episodes, as its file says`}
      value={formatValue(final.mean)}
    >
      It was measured elsewhere: how these episodes were played is not known here.
    </Headline>
  )
}

interface HeadlineProps {
  label: string
  value: string
  note: string
  beside?: string
  children: ReactNode
}

function Headline({ label, value, note, beside, children }: HeadlineProps) {
  return (
    <div className="mt-4 rounded-card bg-sunken px-4 py-3" data-testid="run-result">
      <dl className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <dt className="eyebrow">{label}</dt>
        <dd className="numeric font-semibold text-xl leading-7">{value}</dd>
        <dd className="text-[13px] text-ink-soft">{note}</dd>
        {beside && <dd className="numeric text-[13px] text-ink-soft sm:ml-auto">{beside}</dd>}
      </dl>
      <p className="mt-1 text-pretty text-[13px] text-ink-soft">{children}</p>
    </div>
  )
}

function explainDifference({ member, last_return, selection_bias, unseen_levels }: FinalReturn): string {
  if (!Number.isFinite(selection_bias)) return `Member ${member} won.`
  const size = formatValue(Math.abs(selection_bias))
  const won = `Member ${member} won with ${formatValue(last_return)} at its last evaluation`
  if (unseen_levels)
    return `${won}, on levels that it trained on: ${size} ${selection_bias < 0 ? "less" : "more"} than on all levels.`
  if (selection_bias > 0)
    return `${won}, ${size} more than here: who picks the best of noisy evaluations picks luck as well (selection bias).`
  return `${won}, ${size} less than here: its selection has not flattered it.`
}
