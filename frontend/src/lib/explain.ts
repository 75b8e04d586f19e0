/** Spans with their values and outcomes, as charts place and colour them. */

import type { SpanOutcome } from "@/api/types"
import { sequentialColour, shareBetween, type Theme } from "@/lib/colour"
import { formatInteger, formatParameter, formatTick } from "@/lib/format"
import type { TunedParameter } from "@/lib/lineage/spans"

export type OutcomeName = "progress" | "standing" | "gain" | "last_return"

export const OUTCOMES = [
  {
    value: "progress",
    label: "Progress",
    title: "Share of the population that improved less at the same time; 0.5 is the middle",
  },
  { value: "standing", label: "Standing", title: "Share of the population that it was ahead of" },
  { value: "gain", label: "Gain", title: "Last return over what its weights were worth when it began" },
  { value: "last_return", label: "Return", title: "At its last evaluation" },
] as const satisfies readonly { value: OutcomeName; label: string; title: string }[]

export function outcomeLabel(name: OutcomeName): string {
  return OUTCOMES.find(({ value }) => value === name)!.label
}

/** A vertical line on which every span has a place. */
export interface Axis {
  key: string
  low: number
  high: number
  logarithmic: boolean
  /** Only whole numbers lie on it. */
  integer: boolean
  names: readonly string[] | null
  read: (span: SpanOutcome) => number | null
}

export function parameterAxis({ name, low, high, scale, names }: TunedParameter): Axis {
  const read = (span: SpanOutcome) => span.values[name] ?? null
  return { key: name, low, high, logarithmic: scale === "log", integer: scale === "integer", names, read }
}

/** The range that was seen; of shares, with 0.5 in its middle. */
export function outcomeAxis(name: OutcomeName, spans: readonly SpanOutcome[]): Axis {
  const read = (span: SpanOutcome) => span[name]
  const fixed = { key: name, logarithmic: false, integer: false, names: null, read }
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const span of spans) {
    const value = read(span)
    if (value === null) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) return { ...fixed, low: 0, high: 1 }
  if (name === "gain" || name === "last_return") return { ...fixed, low, high }
  const reach = Math.min(0.5, Math.ceil(20 * Math.max(0.1, high - 0.5, 0.5 - low)) / 20)
  return { ...fixed, low: 0.5 - reach, high: 0.5 + reach }
}

/** From 0 at the bottom to 1 at the top; NaN for what is not known. */
export function placeOn({ low, high, logarithmic, read }: Axis, span: SpanOutcome): number {
  const value = read(span)
  return value === null ? Number.NaN : Math.min(1, Math.max(0, shareBetween(value, low, high, logarithmic)))
}

/** The value at a place, the inverse of `placeOn`. */
export function valueAt({ low, high, logarithmic }: Axis, place: number): number {
  return logarithmic && low > 0 ? low * (high / low) ** place : low + (high - low) * place
}

/** A value of the axis as people read it. */
export function sayValue({ integer, names }: Pick<Axis, "integer" | "names">, value: number | null): string {
  return integer ? formatInteger(value) : formatParameter(value ?? undefined, names)
}

/** More names than this cannot be read beside an axis. */
const MOST_NAMES = 6

/** Where an axis is labelled, and how: at each name, or at its ends and its middle. */
export function ticksOf(axis: Axis): { place: number; text: string }[] {
  const { low, high, names } = axis
  if (!names) return [0, 0.5, 1].map((place) => ({ place, text: formatTick(valueAt(axis, place)) }))
  const shown = names.flatMap((text, value) =>
    value >= low && value <= high ? [{ place: shareBetween(value, low, high, false), text }] : [],
  )
  return shown.length <= MOST_NAMES ? shown : [shown[0]!, shown.at(-1)!]
}

/** Parts of axes that spans must lie on to be shown, by key, as places. */
export type Brushes = Readonly<Record<string, readonly [number, number]>>

export function isBrushed(span: SpanOutcome, axes: readonly Axis[], brushes: Brushes): boolean {
  return axes.every((axis) => {
    const brush = brushes[axis.key]
    if (!brush) return true
    const place = placeOn(axis, span)
    return place >= brush[0] && place <= brush[1]
  })
}

/** Few enough that all spans of a class can be one drawing, so that thousands stay fast. */
const CLASSES = 9

export interface ColourClass {
  /** Undefined for those whose outcome is not known. */
  colour: string | undefined
  spans: SpanOutcome[]
}

/** Spans by the colour of their outcome, the best last so that they lie in front. */
export function colourClasses(spans: readonly SpanOutcome[], outcome: Axis, theme: Theme): ColourClass[] {
  const unknown: ColourClass = { colour: undefined, spans: [] }
  const classes: ColourClass[] = Array.from({ length: CLASSES }, (_, index) => ({
    colour: sequentialColour(index / (CLASSES - 1), theme),
    spans: [],
  }))
  for (const span of spans) {
    const place = placeOn(outcome, span)
    const found = Number.isNaN(place) ? unknown : classes[Math.round(place * (CLASSES - 1))]!
    found.spans.push(span)
  }
  return [unknown, ...classes].filter((each) => each.spans.length > 0)
}

/** At most so many, evenly chosen, so that a page stays quick. */
export function thinOut<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]!)
}

/** Those with the highest outcome, the best first; those without one never. */
export function bestSpans(spans: readonly SpanOutcome[], outcome: Axis, count: number): SpanOutcome[] {
  const known = spans.filter((span) => outcome.read(span) !== null)
  return known.sort((a, b) => outcome.read(b)! - outcome.read(a)!).slice(0, count)
}
