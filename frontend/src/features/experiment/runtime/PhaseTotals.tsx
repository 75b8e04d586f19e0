import { phaseColour } from "@/charts/phaseColour"
import type { Theme } from "@/lib/colour"
import { formatSeconds } from "@/lib/format"
import { PHASE_MEANINGS, type PhaseTotal } from "@/lib/phases"

interface PhaseTotalsProps {
  totals: readonly PhaseTotal[]
  theme: Theme
}

export function PhaseTotals({ totals, theme }: PhaseTotalsProps) {
  return (
    <>
      <div aria-hidden="true" className="mt-1 mb-4 flex h-3 gap-px overflow-hidden rounded-full">
        {totals.map(({ phase, share }) => (
          <div key={phase} style={{ width: `${share * 100}%`, background: phaseColour(phase, theme) }} />
        ))}
      </div>
      <table className="numeric w-full text-left">
        <caption className="sr-only">Time by phase</caption>
        <thead>
          <tr className="eyebrow">
            <th className="pb-2" scope="col">
              Phase
            </th>
            <th className="pb-2 text-right" scope="col">
              Time
            </th>
            <th className="pb-2 text-right" scope="col">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ phase, seconds, share }) => (
            <tr className="border-line border-t" key={phase}>
              <td className="py-2 pr-3">
                <span className="flex items-baseline gap-2">
                  <span
                    className="size-2.5 shrink-0 rounded-sm"
                    style={{ background: phaseColour(phase, theme) }}
                  />
                  <span>
                    <span className="font-medium">{phase}</span>
                    <span className="block text-[13px] text-ink-faint">{PHASE_MEANINGS[phase]}</span>
                  </span>
                </span>
              </td>
              <td className="whitespace-nowrap py-2 text-right align-top">{formatSeconds(seconds)}</td>
              <td className="py-2 pl-4 text-right align-top">{(share * 100).toFixed(1)}%</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
