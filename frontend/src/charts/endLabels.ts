import type uPlot from "uplot"
import type { CurveStyle } from "@/charts/curvePlot"
import { memberMark } from "@/lib/colour"
import { formatSlot } from "@/lib/format"

/** Names at the ends of the lines, so that members can be distinguished without colour. */
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

/** Moves labels apart that would overlap, each as little as possible, keeping their order and staying within limits. */
export function spreadLabels(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  interface Block {
    members: number[]
    start: number
  }
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!)
  const blocks: Block[] = []
  for (const index of order) {
    let block: Block = { members: [index], start: hold(wanted[index]!, 1) }
    let above = blocks.at(-1)
    while (above && above.start + above.members.length * gap > block.start) {
      blocks.pop()
      block = settle([...above.members, ...block.members])
      above = blocks.at(-1)
    }
    blocks.push(block)
  }

  /** A block lies where its members would be on average, if the limits allow it. */
  function settle(members: number[]): Block {
    const sum = members.reduce((total, index, place) => total + wanted[index]! - place * gap, 0)
    return { members, start: hold(sum / members.length, members.length) }
  }

  function hold(start: number, count: number): number {
    return Math.max(low, Math.min(start, high - (count - 1) * gap))
  }

  const placed = [...wanted]
  for (const { members, start } of blocks) {
    members.forEach((index, place) => {
      placed[index] = start + place * gap
    })
  }
  return placed
}
