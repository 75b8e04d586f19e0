/** What the colour of a bar shows: the return, the founder, or a hyper-parameter. */

import { memberMark, sequentialColour, shareBetween, type Theme } from "@/lib/colour"
import { type Lineage, movingParameters, type Span } from "@/lib/lineage/spans"
import { robustExtent, type Series } from "@/lib/series"

export interface Colouring {
  /** Colour of a span during the tick that ends a piece; null while that is not known. */
  colourOf: (span: Span, tick: number | null) => string | null
  /** Ends of the scale, or null when the colours are not a scale. */
  legend: { low: number; high: number; logarithmic: boolean } | null
}

export function colouring(mode: string, lineage: Lineage, returns: Series, theme: Theme): Colouring {
  if (mode === "founder") return byFounder(lineage, theme)
  const parameter = movingParameters(lineage).find(({ name }) => name === mode)
  if (!parameter) return byReturn(returns, theme)
  const { name, low, high } = parameter
  const logarithmic = parameter.scale === "log"
  return {
    colourOf: (span) => {
      const share = shareBetween(span.hyperparams[name] ?? Number.NaN, low, high, logarithmic)
      return Number.isNaN(share) ? null : sequentialColour(share, theme)
    },
    legend: { low, high, logarithmic },
  }
}

function byFounder(lineage: Lineage, theme: Theme): Colouring {
  const founders = foundersOf(lineage.spans)
  return {
    colourOf: (span) => {
      const founder = founders.get(span.id)
      return founder ? memberMark(founder.slot, theme).colour : null
    },
    legend: null,
  }
}

function byReturn(returns: Series, theme: Theme): Colouring {
  const range = robustExtent(returns.columns)
  if (!range) return { colourOf: () => null, legend: null }
  const [low, high] = range
  return {
    colourOf: (span, tick) => {
      if (tick === null) return null
      const share = shareBetween(returns.columns[span.slot]?.[tick] ?? Number.NaN, low, high, false)
      return Number.isNaN(share) ? null : sequentialColour(share, theme)
    },
    legend: { low, high, logarithmic: false },
  }
}

/** The founder of every span, by span id. */
function foundersOf(spans: readonly Span[]): Map<number, Span> {
  const founders = new Map<number, Span>()
  for (const span of [...spans].sort((a, b) => a.start_step - b.start_step || a.id - b.id)) {
    const founder = span.parent === null ? span : founders.get(span.parent)
    if (founder) founders.set(span.id, founder)
  }
  return founders
}
