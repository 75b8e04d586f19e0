import { scaleLinear, scaleLog } from "d3-scale"
import { memo } from "react"
import { type Scale, SMALL, StepChart, verticalPixels } from "@/charts/StepChart"
import type { Cursor } from "@/lib/cursor"
import { formatTick } from "@/lib/format"
import type { BandStep, ScheduleStep } from "@/lib/lineage/ancestry"
import type { TunedParameter } from "@/lib/lineage/spans"

interface ScheduleChartProps {
  parameter: TunedParameter
  steps: readonly ScheduleStep[]
  band: readonly BandStep[]
  endStep: number
  cursor: Cursor
  label: string
}

/** One hyper-parameter along an ancestry: steps over the population's range, between the bounds of the spec. */
export const ScheduleChart = memo(function ScheduleChart(props: ScheduleChartProps) {
  const { parameter, steps, band, endStep, cursor, label } = props
  const y = verticalScale(parameter)
  const bounds = [parameter.low, middleOf(parameter), parameter.high]
  const grid = bounds.map((value, index) => ({
    value,
    text: parameter.names ? "" : formatTick(value),
    dash: index === 1 ? "1 4" : "4 3",
  }))
  return (
    <StepChart cursor={cursor} endStep={endStep} grid={grid} label={label} y={y}>
      {(x) => (
        <>
          {band.map((part) => (
            <rect
              className="fill-ink-faint opacity-15"
              height={Math.max(1.5, y(part.low) - y(part.high))}
              key={part.from}
              width={Math.max(0, x(part.to) - x(part.from))}
              x={x(part.from)}
              y={y(part.high)}
            />
          ))}
          <path
            className="stroke-accent"
            d={stepPath(steps, x, y)}
            fill="none"
            strokeLinejoin="round"
            strokeWidth={2.25}
          />
          {steps.map((part, index) => (
            <Mutation
              key={part.span}
              names={parameter.names}
              part={part}
              previous={steps[index - 1]}
              x={x(part.from)}
              y={y(part.value)}
            />
          ))}
        </>
      )}
    </StepChart>
  )
})

function verticalScale({ scale, low, high }: TunedParameter): Scale {
  const pixels = verticalPixels(SMALL)
  if (scale === "log" && low > 0) return scaleLog([low, high], pixels)
  return scaleLinear([low, high > low ? high : low + 1], pixels)
}

function middleOf({ scale, low, high }: TunedParameter): number {
  return scale === "log" && low > 0 ? Math.sqrt(low * high) : (low + high) / 2
}

function stepPath(steps: readonly ScheduleStep[], x: Scale, y: Scale): string {
  return steps
    .map(({ from, to, value }, index) => `${index ? `V${y(value)}` : `M${x(from)} ${y(value)}`}H${x(to)}`)
    .join("")
}

interface MutationProps {
  part: ScheduleStep
  names: readonly string[] | null
  previous: ScheduleStep | undefined
  x: number
  y: number
}

/**
 * The mark of a birth, with what was done to the value, or the name of a category. An inherited value gets a hollow mark
 * and no words; the first category of a line is named without a mark.
 */
function Mutation({ part, names, previous, x, y }: MutationProps) {
  const word = names ? names[part.value] : part.change.replace("x", "×")
  if (!previous) return names && <Word above={y > SMALL.top + 14} text={word} x={x} y={y} />
  const changed = part.value !== previous.value
  const above = part.value >= previous.value ? y > SMALL.top + 14 : y > SMALL.height - SMALL.bottom - 14
  return (
    <g>
      <circle
        className={changed ? "fill-accent" : "fill-surface stroke-accent"}
        cx={x}
        cy={y}
        r={3}
        strokeWidth={1.5}
      />
      {changed && <Word above={above} text={word} x={x} y={y} />}
    </g>
  )
}

function Word({ text, above, x, y }: { text: string | undefined; above: boolean; x: number; y: number }) {
  return (
    <text className="numeric fill-ink-soft font-medium text-[10.5px]" x={x + 4} y={above ? y - 6 : y + 13}>
      {text}
    </text>
  )
}
