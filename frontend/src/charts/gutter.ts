/** Curves and river share one x-axis, so both leave the same room on their left and right. */
export interface Gutter {
  left: number
  right: number
}

export function gutterFor(width: number): Gutter {
  return width < 560 ? { left: 48, right: 40 } : { left: 64, right: 56 }
}
