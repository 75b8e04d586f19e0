/** Paths of lines and bands over numbers that may be missing. */

type Scale = (value: number) => number
type Values = readonly (number | null | undefined)[]

const known = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value)

export function linePath(xs: Values, ys: Values, x: Scale, y: Scale): string {
  let path = ""
  let drawing = false
  xs.forEach((at, index) => {
    const value = ys[index]
    if (!known(at) || !known(value)) {
      drawing = false
      return
    }
    path += `${drawing ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    drawing = true
  })
  return path
}

interface Banded {
  x: Values
  low: Values
  high: Values
}

/** One area for each stretch in which both bounds are known. */
export function bandPath({ x: xs, low, high }: Banded, x: Scale, y: Scale): string {
  let path = ""
  let upper: string[] = []
  let lower: string[] = []
  const close = () => {
    if (upper.length > 1) path += `M${[...upper, ...lower.reverse()].join("L")}Z`
    upper = []
    lower = []
  }
  xs.forEach((at, index) => {
    const [bottom, top] = [low[index], high[index]]
    if (!known(at) || !known(bottom) || !known(top)) {
      close()
      return
    }
    upper.push(`${x(at).toFixed(1)} ${y(top).toFixed(1)}`)
    lower.push(`${x(at).toFixed(1)} ${y(bottom).toFixed(1)}`)
  })
  close()
  return path
}

/** Smallest and largest of all; a scale has room even where they are one. */
export function extentOf(columns: readonly Values[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const column of columns) {
    for (const value of column) {
      if (!known(value)) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  }
  if (low > high) return [0, 1]
  return low === high ? [low - 1, high + 1] : [low, high]
}

/** Of rising positions, the index of the one nearest to `place`; null outside of them. */
export function nearestIndex(xs: readonly number[], place: number): number | null {
  if (xs.length === 0 || place < xs[0]! || place > xs.at(-1)!) return null
  const after = xs.findIndex((at) => at >= place)
  return after > 0 && place - xs[after - 1]! < xs[after]! - place ? after - 1 : after
}
