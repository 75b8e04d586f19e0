import { scaleLinear } from "d3-scale"
import type { Phase } from "@/api/types"
import { type Frame, StepChart, verticalPixels } from "@/charts/StepChart"
import { memberMark, type Theme } from "@/lib/colour"
import { formatSeconds } from "@/lib/format"
import { minuteTicks, PHASES, type PhaseColumn } from "@/lib/phases"

interface PhaseChartProps {
  columns: readonly PhaseColumn[]
  theme: Theme
  label: string
}

const FRAME: Frame = { height: 360, left: 60, right: 16, top: 12, bottom: 28 }

/** Seconds of work per thousand steps per member, stacked by phase. */
export function PhaseChart({ columns, theme, label }: PhaseChartProps) {
  const rates = columns.map(({ fromStep, toStep, seconds }) => ({
    fromStep,
    toStep,
    rates: PHASES.map((phase) => (1000 * seconds[phase]) / Math.max(1, toStep - fromStep)),
  }))
  const highest = Math.max(
    1e-9,
    ...rates.map((column) => column.rates.reduce((sum, value) => sum + value, 0)),
  )
  const y = scaleLinear([0, highest], verticalPixels(FRAME))
  const grid = (minuteTicks(highest) ?? y.ticks(4)).map((value) => ({ value, text: formatSeconds(value) }))
  return (
    <StepChart endStep={columns.at(-1)?.toStep ?? 1} frame={FRAME} grid={grid} label={label} y={y}>
      {(x) =>
        rates.map((column) => {
          let below = 0
          return column.rates.map((value, index) => {
            const phase = PHASES[index]!
            const bottom = below
            below += value
            if (value <= 0) return null
            return (
              <rect
                fill={phaseColour(phase, theme)}
                height={Math.max(0, y(bottom) - y(below))}
                key={`${column.fromStep}-${phase}`}
                width={Math.max(1, x(column.toStep) - x(column.fromStep) - 1)}
                x={x(column.fromStep)}
                y={y(below)}
              />
            )
          })
        })
      }
    </StepChart>
  )
}

/** Eleven phases, eight colours: those that rarely show have their own. */
const EXTRA: Record<Theme, Partial<Record<Phase, string>>> = {
  light: { video: "#8d5a3b", checkpoint: "#7a4fb5", other: "#b4c0bc" },
  dark: { video: "#c79a7b", checkpoint: "#b794f6", other: "#4a5a57" },
}
const REGULAR = PHASES.filter((phase) => !(phase in EXTRA.light))

/** Colour of a phase, the same in chart and table. */
export function phaseColour(phase: Phase, theme: Theme): string {
  return EXTRA[theme][phase] ?? memberMark(REGULAR.indexOf(phase), theme).colour
}
