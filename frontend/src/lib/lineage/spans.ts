/** A lineage as the interface reads it: spans of members' lives, each with its parent. */

import { decodeOptional, decodeRecord } from "@/lib/decode"

export interface TunedParameter {
  name: string
  scale: "linear" | "log" | "integer" | "choice"
  low: number
  high: number
  /** What the values 0, 1, 2, … are called, where they are names. */
  names: readonly string[] | null
}

export interface Span {
  id: number
  slot: number
  /** Span whose weights it began with; null for a founder. */
  parent: number | null
  operator: string
  /** What was done to each tuned hyper-parameter at its birth: `inherit`, `x0.8`, `resample`, … */
  changes: Record<string, string>
  hyperparams_before: Record<string, number> | null
  hyperparams: Record<string, number>
  fitness: number | null
  parent_fitness: number | null
  rank: number | null
  /** What the method knew when it decided, by name. */
  reasons: Record<string, number>
  start_step: number
  /** Null while the member lives. */
  end_step: number | null
  start_wall: number
}

export interface Lineage {
  population_size: number
  end_step: number
  tuned: readonly TunedParameter[]
  /** In order of birth. */
  spans: readonly Span[]
}

/** A span as transmitted: it may hold numbers as words, and events leave out its place in time. */
export interface WireSpan {
  id: number
  slot: number
  parent: number | null
  operator: string
  changes: Record<string, string>
  hyperparams_before: Record<string, unknown> | null
  hyperparams: Record<string, unknown>
  fitness: unknown
  parent_fitness: unknown
  rank: number | null
  /** A trainer that has none leaves them out. */
  reasons?: Record<string, unknown>
}

export interface Place {
  start_step: number
  end_step: number | null
  start_wall: number
}

export function decodeSpan(wire: WireSpan, place: Place): Span {
  return {
    id: wire.id,
    slot: wire.slot,
    parent: wire.parent,
    operator: wire.operator,
    changes: wire.changes,
    hyperparams_before: wire.hyperparams_before && decodeRecord(wire.hyperparams_before),
    hyperparams: decodeRecord(wire.hyperparams),
    fitness: decodeOptional(wire.fitness),
    parent_fitness: decodeOptional(wire.parent_fitness),
    rank: wire.rank,
    reasons: decodeRecord(wire.reasons ?? {}),
    start_step: place.start_step,
    end_step: place.end_step,
    start_wall: place.start_wall,
  }
}

/** Children enter: each ends the life of its slot's member. Children that are known already change nothing. */
export function addSpans(lineage: Lineage, born: readonly Span[]): Lineage {
  const known = new Set(lineage.spans.map((span) => span.id))
  const fresh = born.filter((span) => !known.has(span.id))
  if (fresh.length === 0) return lineage
  const births = new Map(fresh.map((span) => [span.slot, span.start_step]))
  const survivors = lineage.spans.map((span) => {
    const end = births.get(span.slot)
    return span.end_step === null && end !== undefined ? { ...span, end_step: end } : span
  })
  return {
    ...lineage,
    population_size: Math.max(lineage.population_size, ...fresh.map((span) => span.slot + 1)),
    spans: [...survivors, ...fresh],
  }
}

export function living(spans: readonly Span[]): Span[] {
  return spans.filter((span) => span.end_step === null).sort((a, b) => a.slot - b.slot)
}

/** Spans that came from copying another member, in order of birth; a reset stays in its own lane. */
export function exploits(spans: readonly Span[]): Span[] {
  const slots = new Map(spans.map(({ id, slot }) => [id, slot]))
  return spans
    .filter(({ parent, slot }) => parent !== null && (slots.get(parent) ?? slot) !== slot)
    .sort((a, b) => a.start_step - b.start_step || a.slot - b.slot)
}

/**
 * The hyper-parameters worth drawing: those that the spec tunes, and those that a method moves by itself, such as the
 * coefficient of DvD. The latter have no bounds but the values that occur.
 */
export function movingParameters({ tuned, spans }: Lineage): readonly TunedParameter[] {
  const known = new Set(tuned.map(({ name }) => name))
  const moved = Object.keys(spans[0]?.hyperparams ?? {}).flatMap((name): TunedParameter[] => {
    if (known.has(name)) return []
    const values = spans.map(({ hyperparams }) => hyperparams[name] ?? Number.NaN)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    return low < high ? [{ name, scale: "linear", low, high, names: null }] : []
  })
  return moved.length ? [...tuned, ...moved] : tuned
}
