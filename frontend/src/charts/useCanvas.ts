import { type RefObject, useEffect, useRef } from "react"

/** A canvas as sharp as the screen: drawn in CSS pixels, stored in device pixels, and drawn anew when `paint` changes. */
export function useCanvas(
  width: number,
  height: number,
  paint: (context: CanvasRenderingContext2D) => void,
): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext("2d")
    if (!canvas || !context || width === 0) return
    const ratio = window.devicePixelRatio || 1
    const columns = Math.round(width * ratio)
    const rows = Math.round(height * ratio)
    if (canvas.width !== columns || canvas.height !== rows) {
      canvas.width = columns
      canvas.height = rows
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(context)
  }, [width, height, paint])
  return ref
}
