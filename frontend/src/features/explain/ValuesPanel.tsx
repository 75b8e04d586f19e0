import { useMemo } from "react"
import type { Explanation, SpanOutcome } from "@/api/types"
import { OutcomeScatter } from "@/charts/OutcomeScatter"
import { ValuesOverTime } from "@/charts/ValuesOverTime"
import { sequentialGradient } from "@/lib/colour"
import { type Axis, colourClasses, type OutcomeName, outcomeLabel } from "@/lib/explain"
import { formatName, formatTick } from "@/lib/format"
import { useTheme } from "@/lib/theme"
import { Panel } from "@/ui/Panel"

interface ValuesPanelProps {
  explanation: Explanation
  parameters: readonly Axis[]
  outcome: Axis
  name: OutcomeName
}

/** Every value over time, and against what came of it, one row per hyper-parameter. */
export function ValuesPanel({ explanation, parameters, outcome, name }: ValuesPanelProps) {
  const theme = useTheme()
  const { spans, hyperparams } = explanation
  const classes = useMemo(() => colourClasses(spans, outcome, theme), [spans, outcome, theme])
  const endStep = useMemo(() => spans.reduce((end, span) => Math.max(end, span.end_step), 1), [spans])
  const what = outcomeLabel(name)
  return (
    <Panel
      actions={
        <p className="numeric flex items-center gap-2 text-[13px] text-ink-faint">
          <span>{what}</span>
          <span>{formatTick(outcome.low)}</span>
          <span className="h-2 w-24 rounded-full" style={{ background: sequentialGradient(theme) }} />
          <span>{formatTick(outcome.high)}</span>
        </p>
      }
      hint="Left: every value that any member had, over steps. Right: each span's value against its outcome"
      title="Values over time, and what came of them"
    >
      <div className="space-y-6">
        {parameters.map((axis) => (
          <section key={axis.key}>
            <h3 className="mb-1 font-medium text-[13px]">{formatName(axis.key)}</h3>
            <div className="grid gap-x-6 gap-y-2 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <ValuesOverTime
                axis={axis}
                classes={classes}
                endStep={endStep}
                label={`${formatName(axis.key)} of every member over steps, coloured by ${what.toLowerCase()}`}
              />
              <OutcomeScatter
                axis={axis}
                label={`${what} against ${formatName(axis.key)}, ${countKnown(spans, axis, outcome)} spans`}
                levels={
                  name === "progress"
                    ? levelsOf(hyperparams.find(({ tuned }) => tuned.name === axis.key)?.levels ?? [])
                    : []
                }
                outcome={outcome}
                spans={spans}
              />
            </div>
          </section>
        ))}
      </div>
      {name === "progress" && (
        <p className="pt-2 text-[13px] text-ink-soft">
          Lines on the right are means of the low, middle and high values.
        </p>
      )}
    </Panel>
  )
}

function countKnown(spans: readonly SpanOutcome[], axis: Axis, outcome: Axis): number {
  return spans.filter((span) => axis.read(span) !== null && outcome.read(span) !== null).length
}

function levelsOf(levels: readonly { low: number; high: number; progress: number }[]) {
  return levels.map(({ low, high, progress }) => ({ low, high, mean: progress }))
}
