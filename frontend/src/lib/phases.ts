/** Where the time of a run went, by phase. */

import { Phase } from "@/api/types"
import type { Series } from "@/lib/series"

/** In the order of the training loop. */
export const PHASES = Object.values(Phase)

export const PHASE_MEANINGS: Record<Phase, string> = {
  compile: "XLA compiles the population's program",
  env: "environments step",
  act: "policies choose actions",
  sample: "batches are gathered from replay",
  transfer: "batches are copied to the device",
  update: "gradients are computed and applied",
  evaluate: "noiseless episodes that measure returns",
  video: "videos of members are recorded",
  evolve: "selection, copying and mutation",
  checkpoint: "the whole state is written to disk",
  other: "everything else between ticks",
}

export interface PhaseColumn {
  fromStep: number
  toStep: number
  seconds: Record<Phase, number>
}

/** Seconds of each phase in at most `limit` stretches of time; ticks are added up, none is dropped. */
export function phaseColumns(series: Readonly<Partial<Record<Phase, Series>>>, limit: number): PhaseColumn[] {
  const steps = [...new Set(Object.values(series).flatMap(({ steps }) => Array.from(steps)))].sort(
    (a, b) => a - b,
  )
  const size = Math.max(1, Math.ceil(steps.length / limit))
  const place = new Map(steps.map((step, index) => [step, Math.floor(index / size)]))
  const columns = Array.from({ length: Math.ceil(steps.length / size) }, (_, index) => ({
    fromStep: index === 0 ? 0 : steps[index * size - 1]!,
    toStep: steps[Math.min(steps.length, (index + 1) * size) - 1]!,
    seconds: Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>,
  }))
  for (const phase of PHASES) {
    const { spread, columns: values } = series[phase] ?? { spread: null, columns: [] }
    series[phase]?.steps.forEach((step, tick) => {
      const value = (values[0]?.[tick] ?? 0) * (spread?.ticks[tick] || 1) // of a bucket: its mean
      if (Number.isFinite(value)) columns[place.get(step)!]!.seconds[phase] += value
    })
  }
  return columns
}

export interface PhaseTotal {
  phase: Phase
  seconds: number
  share: number
}

/** Totals of the phases that took any time, longest first. */
export function phaseTotals(columns: readonly PhaseColumn[]): PhaseTotal[] {
  const totals = PHASES.map((phase) => ({
    phase,
    seconds: columns.reduce((sum, column) => sum + column.seconds[phase], 0),
  }))
  const all = totals.reduce((sum, { seconds }) => sum + seconds, 0)
  return totals
    .filter(({ seconds }) => seconds > 0)
    .map((total) => ({ ...total, share: total.seconds / all }))
    .sort((a, b) => b.seconds - a.seconds)
}

const MINUTES = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600]

/** Marks of an axis of seconds at round minutes; null where it is too short or too long for them. */
export function minuteTicks(highest: number): number[] | null {
  const minutes = MINUTES.find((each) => highest / (60 * each) <= 5)
  if (highest < 90 || minutes === undefined) return null
  return Array.from({ length: Math.floor(highest / (60 * minutes)) + 1 }, (_, index) => 60 * minutes * index)
}
