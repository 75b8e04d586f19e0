import type { Mark } from "@/lib/colour"
import { saveText } from "@/lib/saveText"

export interface Entry extends Mark {
  label: string
}

interface Paper {
  paper: string
  ink: string
}

const ENTRY_HEIGHT = 20

/** Offers drawings and their legend to the user as one PNG, below each other, at twice their size on the screen. */
export async function savePicture(
  name: string,
  drawings: readonly SVGSVGElement[],
  legend: readonly Entry[],
  { paper, ink }: Paper,
): Promise<void> {
  const sizes = drawings.map((drawing) => drawing.getBoundingClientRect())
  const canvas = document.createElement("canvas")
  canvas.width = 2 * Math.max(...sizes.map(({ width }) => width))
  canvas.height = 2 * (sizes.reduce((sum, { height }) => sum + height, 0) + ENTRY_HEIGHT * legend.length)
  const context = canvas.getContext("2d")
  if (!context) throw new Error("This browser cannot draw pictures.")
  context.fillStyle = paper
  context.fillRect(0, 0, canvas.width, canvas.height)
  let top = 0
  for (const [index, drawing] of drawings.entries()) {
    const { width, height } = sizes[index]!
    context.drawImage(await toImage(drawing), 0, top, 2 * width, 2 * height)
    top += 2 * height
  }
  context.font = `26px ${getComputedStyle(document.body).fontFamily}`
  context.lineWidth = 4
  for (const { label, colour, dash } of legend) {
    context.strokeStyle = colour
    context.setLineDash(dash.map((length) => 2 * length))
    context.beginPath()
    context.moveTo(16, top + ENTRY_HEIGHT)
    context.lineTo(80, top + ENTRY_HEIGHT)
    context.stroke()
    context.fillStyle = ink
    context.fillText(label, 96, top + ENTRY_HEIGHT + 9)
    top += 2 * ENTRY_HEIGHT
  }
  const link = document.createElement("a")
  link.href = canvas.toDataURL("image/png")
  link.download = name
  link.click()
}

/** Offers one drawing to the user as it is. */
export function saveDrawing(name: string, drawing: SVGSVGElement): void {
  saveText(name, toText(drawing))
}

async function toImage(drawing: SVGSVGElement): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toText(drawing))}`
  await image.decode()
  return image
}

function toText(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  copy.setAttribute("font-family", getComputedStyle(drawing).fontFamily)
  return new XMLSerializer().serializeToString(copy)
}
