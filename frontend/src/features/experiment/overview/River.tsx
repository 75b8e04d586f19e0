import { scaleLinear } from "d3-scale"
import { useMemo } from "react"
import { gutterFor } from "@/charts/gutter"
import { LineageRiver } from "@/charts/LineageRiver"
import type { RiverPaint } from "@/charts/riverPaint"
import { SegmentNote } from "@/features/experiment/overview/SegmentNote"
import type { Overview } from "@/features/experiment/overview/useOverview"
import { formatTick } from "@/lib/format"
import type { Colouring } from "@/lib/lineage/colouring"
import { describeExploit } from "@/lib/lineage/describe"
import { laneHeightFor, layoutLineage } from "@/lib/lineage/layoutLineage"
import { stepOfWall, wallOfStep } from "@/lib/lineage/timeMap"
import { usePalette } from "@/lib/palette"
import type { RunView } from "@/lib/run/runView"
import { lastFinite } from "@/lib/series"
import { useWidth } from "@/lib/useSize"

interface RiverProps {
  overview: Overview
  view: RunView
  colours: Colouring
}

/** Brings the layout of the lineage, its colours and the shared axis together for the canvas. */
export function River({ overview, view, colours }: RiverProps) {
  const { axis, range, times, fitness, stretches } = overview
  const { lineage } = view
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
  const layout = useMemo(
    () =>
      layoutLineage({
        segments: lineage.segments,
        populationSize: lineage.population_size,
        endStep: lineage.end_step,
        ticks: fitness.steps,
        toPixel,
        frame: { left, right, top: 4, laneHeight: laneHeightFor(lineage.population_size) },
      }),
    [lineage, fitness.steps, toPixel, left, right],
  )
  const paint = useMemo<RiverPaint>(
    () => ({
      palette,
      width,
      left,
      right,
      crowded: laneHeightFor(lineage.population_size) < 14,
      colourOf: (bar, piece) => colours.colourOf(bar.segment, piece.tick),
      lit: stretches.length
        ? new Map(
            stretches.map(({ segment, from, to }) => [segment.id, { from: toPixel(from), to: toPixel(to) }]),
          )
        : null,
      laneNotes: Array.from({ length: lineage.population_size }, (_, slot) =>
        formatTick(lastFinite(fitness.columns[slot])),
      ),
      gridLines: scale.ticks(Math.max(2, Math.floor((right - left) / 116))).map(scale),
    }),
    [palette, width, left, right, colours, stretches, toPixel, lineage.population_size, fitness, scale],
  )

  const count = layout.arcs.length
  return (
    <div className="px-2 pb-4 sm:px-3">
      <div ref={host} style={{ minHeight: layout.height }}>
        {width > 0 && (
          <LineageRiver
            cursor={overview.cursor}
            highlighted={overview.highlighted}
            describeExploit={(arc) => describeExploit(lineage, arc.child)}
            label={`Lineage of ${lineage.population_size} members, ${count} ${count === 1 ? "exploit" : "exploits"}`}
            layout={layout}
            onHighlight={overview.setHighlighted}
            onSelect={overview.select}
            paint={paint}
            toPixel={scale}
            toPosition={scale.invert}
            tooltip={(segment, position) => (
              <SegmentNote
                fitness={fitness}
                segment={segment}
                step={axis === "steps" ? position : stepOfWall(times, position)}
                tuned={lineage.tuned}
              />
            )}
          />
        )}
      </div>
    </div>
  )
}
