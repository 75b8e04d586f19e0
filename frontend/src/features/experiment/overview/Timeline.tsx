import { scaleLinear } from "d3-scale"
import { useMemo } from "react"
import { gutterFor } from "@/charts/curvePlot"
import { LineageTimeline } from "@/charts/LineageTimeline"
import type { TimelinePaint } from "@/charts/timelinePaint"
import { SpanNote } from "@/features/experiment/overview/SpanNote"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { formatSteps, formatTick } from "@/lib/format"
import type { Colouring } from "@/lib/lineage/colouring"
import { describeExploit } from "@/lib/lineage/describe"
import { laneHeightFor, layoutLineage } from "@/lib/lineage/layoutLineage"
import { layoutTree } from "@/lib/lineage/layoutTree"
import { type Lineage, living, movingParameters } from "@/lib/lineage/spans"
import { stepOfWall, wallOfStep } from "@/lib/lineage/timeMap"
import { usePalette } from "@/lib/palette"
import { lastFinite } from "@/lib/series"
import { useWidth } from "@/lib/useSize"

interface TimelineProps {
  state: LineageState
  lineage: Lineage
  colours: Colouring
  /** Every member in the lane of its slot, or living members by descent. */
  form: "timeline" | "tree"
  /** No chart above it labels the axis. */
  alone?: boolean
}

/** Combines the lineage layout, its colours and the shared axis for the canvas. */
export function Timeline({ state, lineage, colours, form, alone = false }: TimelineProps) {
  const { axis, range, times, returns } = state
  const { stretches } = state.ancestry
  const [host, width] = useWidth<HTMLDivElement>()
  const palette = usePalette()
  const gutter = gutterFor(width)
  const left = gutter.left
  const right = Math.max(left + 1, width - gutter.right)

  const scale = useMemo(() => scaleLinear([...range], [left, right]), [range, left, right])
  const toPixel = useMemo(
    () => (step: number) => scale(axis === "steps" ? step : wallOfStep(times, step)),
    [scale, axis, times],
  )
  const parameters = useMemo(() => movingParameters(lineage), [lineage])
  const ticks = useMemo(
    () => scale.ticks(Math.max(2, Math.floor((right - left) / 116))),
    [scale, left, right],
  )
  const layout = useMemo(
    () =>
      (form === "tree" ? layoutTree : layoutLineage)({
        spans: lineage.spans,
        populationSize: lineage.population_size,
        endStep: lineage.end_step,
        ticks: returns.steps,
        toPixel,
        frame: { left, right, top: 4, laneHeight: laneHeightFor(lineage.population_size) },
      }),
    [form, lineage, returns.steps, toPixel, left, right],
  )
  const diverged = useMemo(
    () => new Set(living(lineage.spans).flatMap(({ slot, diverged }) => (diverged ? [slot] : []))),
    [lineage.spans],
  )
  const paint = useMemo<TimelinePaint>(
    () => ({
      palette,
      width,
      left,
      right,
      crowded: laneHeightFor(lineage.population_size) < 14,
      apart: form === "timeline",
      colourOf: (bar, piece) => colours.colourOf(bar.span, piece.tick),
      lit: stretches.length
        ? new Map(stretches.map(({ span, from, to }) => [span.id, { from: toPixel(from), to: toPixel(to) }]))
        : null,
      laneNotes: Array.from({ length: lineage.population_size }, (_, slot) =>
        diverged.has(slot) ? "×" : formatTick(lastFinite(returns.columns[slot])),
      ),
      gridLines: ticks.map(scale),
      marks: state.marks.map(scale),
    }),
    [
      palette,
      width,
      left,
      right,
      form,
      colours,
      stretches,
      toPixel,
      lineage.population_size,
      returns,
      scale,
      ticks,
      state.marks,
      diverged,
    ],
  )

  const count = layout.arcs.length
  const title = form === "tree" ? "Tree of living members: " : "Lineage of "
  return (
    <div className="px-2 pb-4 sm:px-3">
      <div ref={host} style={{ minHeight: layout.height }}>
        {width > 0 && (
          <LineageTimeline
            cursor={state.cursor}
            highlighted={state.highlighted}
            describeExploit={(arc) => describeExploit(lineage, arc.child)}
            label={`${title}${lineage.population_size} members, ${count} ${count === 1 ? "exploit" : "exploits"}`}
            layout={layout}
            onHighlight={state.setHighlighted}
            onSelect={state.select}
            paint={paint}
            toPixel={scale}
            toPosition={scale.invert}
            tooltip={(span, position) => (
              <SpanNote
                returns={returns}
                span={span}
                step={axis === "steps" ? position : stepOfWall(times, position)}
                parameters={parameters}
              />
            )}
          />
        )}
      </div>
      {alone && (
        <div aria-hidden="true" className="numeric relative h-5 text-[11px] text-ink-faint">
          {ticks.map((step) => (
            <span className="-translate-x-1/2 absolute top-1" key={step} style={{ left: scale(step) }}>
              {formatSteps(step)}
            </span>
          ))}
        </div>
      )}
    </div>
  )
}
