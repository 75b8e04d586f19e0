/** What can be written next in a query: the part under the cursor, and what may take its place. */

import type { FieldDescription } from "@/api/types"

export interface Completion {
  /** What is written in its place. */
  text: string
  label: string
  hint: string
}

export interface Spot {
  /** Where the word under the cursor begins; it ends at the cursor. */
  start: number
  word: string
  expects: "field" | "operator" | "value" | "joint"
  /** The field whose value is expected. */
  field: string | null
}

const TOKEN = /\s+|!=|<=|>=|[=<>~(),]|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s=!<>~(),"']+|./g
const OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "~", "in"]

export function spotAt(text: string, cursor: number): Spot {
  const tokens = [...text.slice(0, cursor).matchAll(TOKEN)].map((match) => match[0])
  const open = tokens.length > 0 && !/^\s+$/.test(tokens.at(-1)!) ? tokens.at(-1)! : ""
  const isWord = open !== "" && !/^(!=|<=|>=|[=<>~(),])$/.test(open)
  const word = isWord ? open : ""
  const before = tokens.slice(0, isWord ? -1 : undefined).filter((token) => !/^\s+$/.test(token))
  const start = cursor - word.length
  let expects: Spot["expects"] = "field"
  let field: string | null = null
  let listed: string | null = null
  for (const token of before) {
    const lower = token.toLowerCase()
    if (listed !== null) {
      if (token === ")") {
        listed = null
        expects = "joint"
      } else {
        expects = "value"
        field = listed
      }
    } else if (expects === "operator" && lower === "in") {
      listed = field
    } else if (expects === "operator" && OPERATORS.includes(token)) {
      expects = "value"
    } else if (expects === "value") {
      expects = "joint"
    } else if (["and", "or", "not"].includes(lower) || token === "(" || token === ")") {
      expects = token === ")" ? "joint" : "field"
    } else {
      expects = "operator"
      field = token
    }
  }
  return { start, word, expects, field: expects === "value" || expects === "operator" ? field : null }
}

const MEANINGS: Record<string, string> = {
  "=": "is",
  "!=": "is not",
  "<": "less than",
  "<=": "at most",
  ">": "more than",
  ">=": "at least",
  "~": "contains",
  in: "one of (a, b)",
}

export function quoted(value: string | number): string {
  if (typeof value === "number" || /^[\w./:-]+$/.test(value)) return String(value)
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}

const MOST = 12

export function completionsFor(
  spot: Spot,
  fields: readonly FieldDescription[],
  values: readonly (string | number)[],
): Completion[] {
  const word = spot.word.replace(/^["']/, "").toLowerCase()
  switch (spot.expects) {
    case "field":
      return ranked(fields, word, ({ name }) => name)
        .slice(0, MOST)
        .map(({ name, meaning }) => ({ text: `${name} `, label: name, hint: meaning }))
    case "operator":
      return OPERATORS.filter((sign) => sign.startsWith(word)).map((sign) => ({
        text: sign === "in" ? "in (" : `${sign} `,
        label: sign,
        hint: MEANINGS[sign]!,
      }))
    case "value":
      return ranked(values, word, String)
        .slice(0, MOST)
        .map((value) => ({ text: `${quoted(value)} `, label: String(value), hint: "" }))
    case "joint":
      return ["and", "or"]
        .filter((joint) => joint.startsWith(word))
        .map((joint) => ({ text: `${joint} `, label: joint, hint: joint === "and" ? "both" : "either" }))
  }
}

/** Those that begin with the word before those that contain it. */
function ranked<T>(items: readonly T[], word: string, name: (item: T) => string): T[] {
  const place = (item: T) => name(item).toLowerCase().indexOf(word)
  return items
    .filter((item) => place(item) >= 0)
    .toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
}

/** A query narrowed by another. */
export function both(first: string, second: string): string {
  if (!first.trim()) return second
  return `(${first}) and ${second}`
}
