import { formatName, formatParameter, formatSlot, formatValue } from "@/lib/format"
import { describeChange, describeDivergence, describeReasons } from "@/lib/lineage/describe"
import type { Span, TunedParameter } from "@/lib/lineage/spans"
import { type Series, tickAt } from "@/lib/series"

interface SpanNoteProps {
  span: Span
  /** Where the pointer is. */
  step: number
  returns: Series
  parameters: readonly TunedParameter[]
}

/** Which member this is, its return at the pointer, and how its birth changed its hyper-parameters. */
export function SpanNote({ span, step, returns, parameters }: SpanNoteProps) {
  // A piece of a bar shows the evaluation at its end.
  const tick = tickAt(returns.steps, step) + 1
  const inside =
    tick < returns.steps.length && returns.steps[tick]! <= (span.end_step ?? Number.POSITIVE_INFINITY)
  const value = inside ? returns.columns[span.slot]?.[tick] : undefined
  const reasons = describeReasons(span.reasons)
  return (
    <div className="numeric">
      <p className="flex items-baseline justify-between gap-6">
        <b className="font-semibold">{formatSlot(span.slot)}</b>
        <span className="text-ink-faint">
          span {span.id}, from step {span.start_step.toLocaleString("en-US")}
        </span>
      </p>
      <p className="mb-1.5 text-ink-soft">
        {value === undefined
          ? "not evaluated yet"
          : `return ${formatValue(value)} at step ${returns.steps[tick]!.toLocaleString("en-US")}`}
      </p>
      {span.diverged && (
        <p className="mb-1.5 text-bad">
          Diverged: {describeDivergence(span.diverged)}. Set aside until it is replaced.
        </p>
      )}
      <table className="w-full">
        <tbody>
          {parameters.map(({ name, names }) => {
            const change = span.changes[name]
            return (
              <tr key={name}>
                <td className="pr-4 text-ink-faint">{formatName(name)}</td>
                <td className="text-right font-medium">{formatParameter(span.hyperparams[name], names)}</td>
                <td className="w-16 pl-2 text-right text-ink-faint">
                  {span.parent !== null && change && change !== "inherit" ? describeChange(change) : ""}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {reasons.length > 0 && (
        <table className="w-full">
          <caption className="mt-1.5 mb-0.5 border-line border-t pt-1.5 text-left text-ink-soft">
            {parameters.length > 0 ? "Why these values" : "How it was made"}
          </caption>
          <tbody>
            {reasons.map(({ label, value }) => (
              <tr key={label}>
                <td className="pr-4 align-top text-ink-faint">{label}</td>
                <td className="whitespace-nowrap text-right align-top font-medium">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
