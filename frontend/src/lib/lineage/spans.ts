/** A lineage as the interface reads it: the service's spans with numbers decoded, and what drawing derives from them. */

import type { LineageSpan, RunLineage, Tuned } from "@/api/generated/types.gen"
import { decodeNumber, decodeOptional, decodeRecord } from "@/lib/decode"

export type TunedParameter = Tuned

type Numbers = Record<string, number>

export type Span = Omit<
  LineageSpan,
  "hyperparams" | "hyperparams_before" | "fitness" | "parent_fitness" | "reasons" | "diverged"
> & {
  hyperparams: Numbers
  hyperparams_before: Numbers | null
  fitness: number | null
  parent_fitness: number | null
  reasons: Numbers
  diverged: Divergence | null
}

/** Where a member's training broke down; from there on it is set aside. */
export interface Divergence {
  step: number
  metric: string
  value: number
}

/** Spans are in order of birth. */
export type Lineage = Omit<RunLineage, "spans"> & { spans: readonly Span[] }

export function decodeSpan(wire: LineageSpan): Span {
  return {
    ...wire,
    hyperparams: decodeRecord(wire.hyperparams),
    hyperparams_before: wire.hyperparams_before && decodeRecord(wire.hyperparams_before),
    fitness: decodeOptional(wire.fitness),
    parent_fitness: decodeOptional(wire.parent_fitness),
    // A trainer that has none leaves them out of its events.
    reasons: decodeRecord(wire.reasons ?? {}),
    diverged: wire.diverged && { ...wire.diverged, value: decodeNumber(wire.diverged.value) },
  }
}

export function decodeLineage(wire: RunLineage): Lineage {
  return { ...wire, spans: wire.spans.map(decodeSpan) }
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

export function markDiverged(lineage: Lineage, span: number, diverged: Divergence): Lineage {
  return { ...lineage, spans: lineage.spans.map((each) => (each.id === span ? { ...each, diverged } : each)) }
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
    return low < high ? [{ name, scale: "linear", low, high, names: null, read: "training" }] : []
  })
  return moved.length ? [...tuned, ...moved] : tuned
}
