import { scaleLinear, scaleLog } from "d3-scale"
import { memo } from "react"
import { formatSteps, formatTick } from "@/lib/format"
import type { BandStep, ScheduleStep } from "@/lib/lineage/ancestry"
import type { TunedParameter } from "@/lib/lineage/segments"
import { useWidth } from "@/lib/useSize"

interface ScheduleChartProps {
  parameter: TunedParameter
  steps: readonly ScheduleStep[]
  band: readonly BandStep[]
  endStep: number
  label: string
}

const HEIGHT = 132
const MARGIN = { left: 52, right: 12, top: 12, bottom: 22 }

/** What one hyper-parameter did along an ancestry: steps over the population's range, between the bounds of the spec. */
export const ScheduleChart = memo(function ScheduleChart(props: ScheduleChartProps) {
  const { parameter, steps, band, endStep, label } = props
  const [host, width] = useWidth<HTMLDivElement>()
  const x = scaleLinear([0, Math.max(1, endStep)], [MARGIN.left, width - MARGIN.right])
  const y = verticalScale(parameter)
  const ticks = [parameter.low, middleOf(parameter), parameter.high]
  return (
    <div ref={host}>
      {width > 0 && (
        <svg aria-label={label} className="block overflow-visible" height={HEIGHT} role="img" width={width}>
          {ticks.map((value, index) => (
            <g key={value}>
              <line
                className="stroke-line-strong"
                strokeDasharray={index === 1 ? "1 4" : "4 3"}
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={y(value)}
                y2={y(value)}
              />
              <text
                className="numeric fill-ink-faint text-[11px]"
                dy="0.32em"
                textAnchor="end"
                x={MARGIN.left - 8}
                y={y(value)}
              >
                {formatTick(value)}
              </text>
            </g>
          ))}
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
              key={part.segment}
              part={part}
              previous={steps[index - 1]}
              x={x(part.from)}
              y={y(part.value)}
            />
          ))}
          {x.ticks(Math.max(2, Math.floor(width / 110))).map((step) => (
            <text
              className="numeric fill-ink-faint text-[11px]"
              key={step}
              textAnchor="middle"
              x={x(step)}
              y={HEIGHT - 4}
            >
              {formatSteps(step)}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
})

function verticalScale({ scale, low, high }: TunedParameter): (value: number) => number {
  const pixels = [HEIGHT - MARGIN.bottom, MARGIN.top]
  if (scale === "log" && low > 0) return scaleLog([low, high], pixels)
  return scaleLinear([low, high > low ? high : low + 1], pixels)
}

function middleOf({ scale, low, high }: TunedParameter): number {
  return scale === "log" && low > 0 ? Math.sqrt(low * high) : (low + high) / 2
}

function stepPath(
  steps: readonly ScheduleStep[],
  x: (step: number) => number,
  y: (value: number) => number,
): string {
  return steps
    .map(({ from, to, value }, index) => `${index ? `V${y(value)}` : `M${x(from)} ${y(value)}`}H${x(to)}`)
    .join("")
}

interface MutationProps {
  part: ScheduleStep
  previous: ScheduleStep | undefined
  x: number
  y: number
}

/** The mark of a birth, with what was done to the value; an inherited value gets a hollow mark and no words. */
function Mutation({ part, previous, x, y }: MutationProps) {
  if (!previous) return null
  const changed = part.value !== previous.value
  const above = part.value >= previous.value ? y > MARGIN.top + 14 : y > HEIGHT - MARGIN.bottom - 14
  return (
    <g>
      <circle
        className={changed ? "fill-accent" : "fill-surface stroke-accent"}
        cx={x}
        cy={y}
        r={3}
        strokeWidth={1.5}
      />
      {changed && (
        <text
          className="numeric fill-ink-soft font-medium text-[10.5px]"
          x={x + 4}
          y={above ? y - 6 : y + 13}
        >
          {part.change.replace("x", "×")}
        </text>
      )}
    </g>
  )
}
