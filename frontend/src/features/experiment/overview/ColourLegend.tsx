import { sequentialGradient } from "@/lib/colour"
import { formatName, formatTick } from "@/lib/format"
import type { Colouring } from "@/lib/lineage/colouring"
import { useTheme } from "@/lib/theme"

interface ColourLegendProps {
  mode: string
  legend: Colouring["legend"]
}

/** What the colours of the bars mean. */
export function ColourLegend({ mode, legend }: ColourLegendProps) {
  const theme = useTheme()
  if (mode === "founder") return <p className="text-ink-faint">The colour of each founder's slot</p>
  if (!legend) return null
  return (
    <p className="numeric flex items-center gap-2 text-ink-faint">
      <span>{mode === "return" ? "Return" : formatName(mode)}</span>
      <span>{formatTick(legend.low)}</span>
      <span className="h-2 w-24 rounded-full" style={{ background: sequentialGradient(theme) }} />
      <span>{formatTick(legend.high)}</span>
      {legend.logarithmic && <span>(log)</span>}
    </p>
  )
}
