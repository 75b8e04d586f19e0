import { memo } from "react"
import type { SpanOutcome } from "@/api/types"
import { type Frame, type Scale, StepChart, verticalPixels } from "@/charts/StepChart"
import { type Axis, type ColourClass, placeOn, ticksOf } from "@/lib/explain"

interface ValuesOverTimeProps {
  axis: Axis
  classes: readonly ColourClass[]
  endStep: number
  label: string
}

const FRAME: Frame = { height: 168, left: 60, right: 12, top: 12, bottom: 22 }

/** Every value that a hyper-parameter had in the whole population: a bar for each span, coloured by its outcome. */
export const ValuesOverTime = memo(function ValuesOverTime(props: ValuesOverTimeProps) {
  const { axis, classes, endStep, label } = props
  const [bottom, top] = verticalPixels(FRAME)
  const y = (place: number) => bottom + (top - bottom) * place
  const grid = ticksOf(axis).map(({ place, text }) => ({
    value: place,
    text,
    dash: place > 0 && place < 1 ? "1 4" : "4 3",
  }))
  return (
    <StepChart endStep={endStep} frame={FRAME} grid={grid} label={label} y={y}>
      {(x) =>
        classes.map(({ colour, spans }) => (
          <path
            className={colour ? undefined : "stroke-line-strong"}
            d={barsOf(spans, axis, x, y)}
            fill="none"
            key={colour ?? "unknown"}
            opacity={0.8}
            stroke={colour}
            strokeWidth={2.5}
          />
        ))
      }
    </StepChart>
  )
})

function barsOf(spans: readonly SpanOutcome[], axis: Axis, x: Scale, y: Scale): string {
  let path = ""
  for (const span of spans) {
    const place = placeOn(axis, span)
    if (Number.isNaN(place)) continue
    path += `M${x(span.start_step).toFixed(1)} ${y(place).toFixed(1)}H${x(span.end_step).toFixed(1)}`
  }
  return path
}
