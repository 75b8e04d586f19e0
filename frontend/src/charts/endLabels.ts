import type uPlot from "uplot"
import type { CurveStyle } from "@/charts/curvePlot"
import { memberMark } from "@/lib/colour"
import { formatSlot } from "@/lib/format"
import { spreadLabels } from "@/lib/spreadLabels"

/** Names at the ends of the lines, so that members can be told apart without colour. */
export function drawEndLabels(
  plot: uPlot,
  { members, theme, inkSoft }: CurveStyle,
  highlighted: number | null,
): void {
  if (members === 1) return
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const ends = endPoints(plot, members).filter(({ slot }) => members <= 16 || slot === highlighted)
  const heights = ends.map(({ y }) => y)
  const places = spreadLabels(heights, 13 * ratio, bbox.top + 2 * ratio, bbox.top + bbox.height)
  ctx.save()
  ctx.font = `600 ${11 * ratio}px Inter, system-ui, sans-serif`
  ctx.textAlign = "left"
  ctx.textBaseline = "middle"
  ends.forEach(({ slot, x }, index) => {
    const left = Math.min(x, bbox.left + bbox.width) + 8 * ratio
    ctx.globalAlpha = highlighted === null || highlighted === slot ? 1 : 0.35
    ctx.fillStyle = memberMark(slot, theme).colour
    ctx.fillRect(left, places[index]! - 5 * ratio, 4 * ratio, 10 * ratio)
    ctx.fillStyle = inkSoft
    ctx.fillText(formatSlot(slot), left + 8 * ratio, places[index]! + 0.5 * ratio)
  })
  ctx.restore()
}

function endPoints(plot: uPlot, members: number): { slot: number; x: number; y: number }[] {
  const last = (plot.data[0]?.length ?? 0) - 1
  if (last < 0) return []
  const x = plot.valToPos(plot.data[0]![last]!, "x", true)
  return Array.from({ length: members }, (_, slot) => slot).flatMap((slot) => {
    const value = plot.data[slot + 1]?.[last]
    return value === null || value === undefined ? [] : [{ slot, x, y: plot.valToPos(value, "y", true) }]
  })
}
