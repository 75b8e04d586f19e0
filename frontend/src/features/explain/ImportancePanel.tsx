import { scaleLinear } from "d3-scale"
import type { Estimate, Explanation, HyperparameterExplanation } from "@/api/types"
import { describeImportance, describeSureness, sayLevels } from "@/features/explain/words"
import { formatName, formatPercent } from "@/lib/format"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { CELL, HEADING } from "@/ui/tableStyle"

/** Which hyper-parameters matter, how sure that is, in which direction, and which lie at a bound. */
export function ImportancePanel({ explanation }: { explanation: Explanation }) {
  const { hyperparams } = explanation
  const ends = hyperparams.flatMap(({ importance }) => [importance?.low ?? 0, importance?.high ?? 0])
  const scale = scaleLinear([Math.max(-0.25, Math.min(0, ...ends)), Math.max(0.25, ...ends)], [0, 100]).clamp(
    true,
  )
  return (
    <Panel
      hint="Share of the differences in progress that a value predicts in spans the prediction has not seen, with its 95 % interval"
      title="Importance"
    >
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr>
              <th className={HEADING} scope="col">
                Hyper-parameter
              </th>
              <th className={`${HEADING} w-1/3 min-w-40`} scope="col">
                Importance
              </th>
              <th className={HEADING} scope="col">
                Finding
              </th>
              <th
                className={HEADING}
                scope="col"
                title="Mean progress of the spans with a low, middle or high value; 0.5 is the middle"
              >
                Progress by value
              </th>
              <th className={`${HEADING} text-right`} scope="col" title="Share of all steps of all members">
                At a bound
              </th>
            </tr>
          </thead>
          <tbody>
            {hyperparams.map((each) => (
              <tr key={each.tuned.name}>
                <th className={`${CELL} whitespace-nowrap font-medium`} scope="row">
                  {formatName(each.tuned.name)}
                </th>
                <td className={CELL}>
                  <ImportanceBar importance={each.importance} name={each.tuned.name} scale={scale} />
                </td>
                <td className={`${CELL} min-w-36 text-ink-soft`}>{describeImportance(each.importance)}</td>
                <td className={`${CELL} numeric min-w-48 text-[13px] text-ink-soft`}>{sayLevels(each)}</td>
                <td className={`${CELL} text-right`}>
                  <AtBound {...each} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-3 text-[13px] text-ink-soft">{describeSureness(explanation)}</p>
    </Panel>
  )
}

interface ImportanceBarProps {
  name: string
  importance: Estimate | null
  scale: (value: number) => number
}

function ImportanceBar({ name, importance, scale }: ImportanceBarProps) {
  if (!importance) return <span className="text-ink-faint">–</span>
  const { value, low, high } = importance
  const zero = scale(0)
  const end = scale(value)
  return (
    <div
      aria-label={`${formatName(name)}: ${value.toFixed(2)}, from ${low?.toFixed(2)} to ${high?.toFixed(2)}`}
      className="relative h-5"
      role="img"
      title={`${value.toFixed(2)}, from ${low?.toFixed(2)} to ${high?.toFixed(2)}`}
    >
      <span
        className="absolute top-1 h-3 rounded-sm bg-accent opacity-70"
        style={{ left: `${Math.min(zero, end)}%`, width: `${Math.abs(end - zero)}%` }}
      />
      {low !== null && high !== null && (
        <span
          className="absolute top-[9px] h-0.5 bg-ink"
          style={{ left: `${scale(low)}%`, width: `${scale(high) - scale(low)}%` }}
        />
      )}
      <span className="absolute inset-y-0 w-px bg-line-strong" style={{ left: `${zero}%` }} />
    </div>
  )
}

function AtBound({ bound, at_low, at_high }: HyperparameterExplanation) {
  if (bound === null)
    return <span className="numeric text-ink-faint">{formatPercent(Math.max(at_low, at_high))}</span>
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap text-warn"
      title="Better values may lie beyond this bound"
    >
      <Icon name="alert" size={14} />
      {bound} bound, {formatPercent(bound === "low" ? at_low : at_high)}
    </span>
  )
}
