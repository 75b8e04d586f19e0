/**
 * The one place where numbers of the wire become numbers of JavaScript. JSON has no NaN and no infinities, so the API
 * writes them as the strings "NaN", "Infinity" and "-Infinity".
 */

const WORDS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
}

/** A number of the wire; a missing one is NaN, so that arrays keep their length. */
export function decodeNumber(value: unknown): number {
  if (typeof value === "number") return value
  if (value === null || value === undefined) return Number.NaN
  if (typeof value === "string" && value in WORDS) return WORDS[value]!
  throw new TypeError(`expected a number, "NaN", "Infinity" or "-Infinity", got ${JSON.stringify(value)}`)
}

/** A number of the wire that may be absent. */
export function decodeOptional(value: unknown): number | null {
  return value === null || value === undefined ? null : decodeNumber(value)
}

/** `{name: number}` of the wire. */
export function decodeRecord(values: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, decodeNumber(value)]))
}

/** Rows (one per tick, one value per member) to columns (one per member, one value per tick). */
export function decodeColumns(rows: readonly (readonly unknown[])[]): Float64Array[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const columns = Array.from({ length: width }, () => new Float64Array(rows.length).fill(Number.NaN))
  rows.forEach((row, tick) => {
    row.forEach((value, member) => {
      columns[member]![tick] = decodeNumber(value)
    })
  })
  return columns
}
