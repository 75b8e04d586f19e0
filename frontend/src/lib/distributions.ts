/** How a hyper-parameter is given: one value for all members, or a distribution over them; put into words and pictures. */

import type { Hyperparameter } from "@/api/types"
import { formatValue } from "@/lib/format"
import { stringifyFlow } from "@/lib/specText"

export const KINDS = ["fixed", "log_uniform", "uniform", "int_uniform", "choice"] as const
export type Kind = (typeof KINDS)[number]

export const KIND_LABELS: Record<Kind, string> = {
  fixed: "Fixed",
  log_uniform: "Log-uniform",
  uniform: "Uniform",
  int_uniform: "Whole numbers",
  choice: "Choice",
}

/** Values are texts as typed, so that a form shows `1e-4` as such and can hold half a number. */
export interface Given {
  kind: Kind
  values: string[]
}

/** From what a spec says in the place of a hyper-parameter; null where that is neither. */
export function readGiven(value: unknown): Given | null {
  if (value === undefined || value === null) return null
  if (typeof value !== "object") return { kind: "fixed", values: [String(value)] }
  const [entry, ...others] = Object.entries(value)
  const kind = KINDS.find((name) => name === entry?.[0])
  if (!entry || !kind || others.length > 0 || !Array.isArray(entry[1])) return null
  return { kind, values: entry[1].map(String) }
}

/** As a spec writes it. */
export function writeGiven({ kind, values }: Given): unknown {
  return kind === "fixed" ? values[0] : { [kind]: values }
}

/** The kinds that make sense for it. */
export function kindsOf({ is_integer, names }: Hyperparameter): Kind[] {
  if (names) return ["fixed", "choice"]
  return is_integer ? ["fixed", "int_uniform", "choice"] : ["fixed", "log_uniform", "uniform", "choice"]
}

/** Where a kind begins when it is chosen: the recommended range if there is one, else around the default. */
export function suggest(kind: Kind, hyperparameter: Hyperparameter): Given {
  const { names, is_integer } = hyperparameter
  const given = String(hyperparameter.default)
  if (kind === "fixed") return { kind, values: [given] }
  if (names) return { kind, values: [...names] }
  const recommended = readGiven(hyperparameter.search)
  if (recommended?.kind === kind) return recommended
  let [low, high] = recommended ? ends(recommended) : around(hyperparameter)
  if (kind === "log_uniform" && low <= 0) low = high / 100
  const values = kind === "choice" ? [low, Number(given), high] : [low, high]
  const spelt = values.map((value) => short(is_integer ? Math.round(value) : value))
  return { kind, values: [...new Set(spelt)] }
}

function ends({ values }: Given): [number, number] {
  const numbers = values.map(Number)
  return [Math.min(...numbers), Math.max(...numbers)]
}

function around({ default: given, low, high, is_integer }: Hyperparameter): [number, number] {
  const middle = Number(given)
  const least = is_integer ? (low ?? 0) : Math.max(low ?? Number.NEGATIVE_INFINITY, middle / 10)
  const most = Math.min(high ?? Number.POSITIVE_INFINITY, middle > 0 ? middle * 10 : 1)
  return least < most ? [least, most] : [middle, middle + 1]
}

function short(value: number): string {
  return stringifyFlow(Number(value.toPrecision(3)))
}

export interface Picture {
  axis: "linear" | "log"
  low: number
  high: number
  /** How likely a value at each place of the axis is, from 0 to 1; places are shares of its length. */
  curve: readonly { place: number; height: number }[]
  /** Single values. */
  stems: readonly number[]
  /** Where the default is. */
  usual: number | null
}

const POINTS = 32
const MOST_STEMS = 24

/**
 * The density over the axis on which the number moves. Null for names, and for values that are not numbers yet. Near 1
 * (a discount) the axis is linear all the same: its ranges are short.
 */
export function draw({ kind, values }: Given, hyperparameter: Hyperparameter): Picture | null {
  const numbers = values.map(Number)
  if (hyperparameter.names || numbers.length === 0 || numbers.some((value) => !Number.isFinite(value)))
    return null
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)]
  const usual = Number(hyperparameter.default)
  const recommended = readGiven(hyperparameter.search)
  const shown = [...numbers, usual, ...(recommended ? ends(recommended) : [])]
  let [low, high] = [Math.min(...shown), Math.max(...shown)]
  if (low === high) [low, high] = [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2]
  const axis = hyperparameter.scale === "log" && low > 0 ? "log" : "linear"
  const placeOf = (value: number) =>
    axis === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)
  const isWhole = kind === "int_uniform" && to - from < MOST_STEMS
  const stems = isWhole
    ? Array.from({ length: Math.floor(to - from) + 1 }, (_, step) => from + step)
    : kind === "fixed" || kind === "choice"
      ? numbers
      : []
  return {
    ...{ axis, low, high },
    curve: stems.length > 0 ? [] : curveOf(kind, from, to, axis, placeOf),
    stems: stems.map(placeOf),
    usual: placeOf(usual),
  }
}

function curveOf(
  kind: Kind,
  from: number,
  to: number,
  axis: Picture["axis"],
  placeOf: (value: number) => number,
) {
  const values = Array.from({ length: POINTS }, (_, step) => {
    const share = step / (POINTS - 1)
    return axis === "log" ? from * (to / from) ** share : from + share * (to - from)
  })
  // Per length of the axis: by factors a uniform number is dense at the top, by differences a log-uniform one at the foot.
  const density = (value: number) =>
    axis === "log" ? (kind === "log_uniform" ? 1 : value) : kind === "log_uniform" && from > 0 ? 1 / value : 1
  const most = Math.max(...values.map(density))
  return values.map((value) => ({ place: placeOf(value), height: density(value) / most }))
}

/** The same for those who do not see the picture. */
export function describeGiven({ kind, values }: Given): string {
  if (kind === "fixed") return `${values[0]} for every member`
  if (kind === "choice") return `one of ${values.join(", ")}, each as likely`
  const [low, high] = values.map(Number)
  const range = `from ${values[0]} to ${values[1]}`
  if (low === undefined || high === undefined || !(low < high)) return range
  const middle = kind === "log_uniform" ? Math.sqrt(low * high) : (low + high) / 2
  return `${range}, half of the members below ${formatValue(middle)}`
}
