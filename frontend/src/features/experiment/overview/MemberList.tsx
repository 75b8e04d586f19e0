import { useMemo } from "react"
import type { LineageSummary } from "@/api/types"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { memberMark } from "@/lib/colour"
import { formatSlot, formatValue } from "@/lib/format"
import { describeDivergence } from "@/lib/lineage/describe"
import { living, type Span } from "@/lib/lineage/spans"
import { lastFinite, type Series } from "@/lib/series"
import { useTheme } from "@/lib/theme"
import { classes } from "@/ui/classes"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

interface MemberListProps {
  state: LineageState
  spans: readonly Span[]
  /** Undefined until it is loaded. */
  summary: LineageSummary | undefined
}

/** The living members, best first: legend of the curves, and a way to select one by keyboard. */
export function MemberList({ state, spans, summary }: MemberListProps) {
  const theme = useTheme()
  const { returns, highlighted, setHighlighted, ancestry, select } = state
  const members = useMemo(() => ranked(spans, returns), [spans, returns])
  const generations = new Map(summary?.living.map((member) => [member.span, member.generations]))
  const chosen = ancestry.selected
  return (
    <Panel hint="By last return. Select one to highlight its ancestry." title="Members">
      {members.length === 0 && <Empty title="No members yet">Members appear when training starts.</Empty>}
      <ul className="-mx-2 max-h-[560px] overflow-y-auto">
        {members.map(({ span, value }) => {
          const { colour, dash } = memberMark(span.slot, theme)
          return (
            <li key={span.id}>
              <button
                aria-label={`${formatSlot(span.slot)}, ${span.diverged ? "diverged" : `last return ${formatValue(value)}`}, show its ancestry`}
                aria-pressed={span.id === chosen}
                className={classes(
                  "flex h-9 w-full items-center gap-2.5 rounded-lg px-2 text-left transition-colors",
                  span.id === chosen ? "bg-accent-soft" : highlighted === span.slot && "bg-sunken",
                )}
                onBlur={() => setHighlighted(null)}
                onClick={() => select(span.id)}
                onFocus={() => setHighlighted(span.slot)}
                onPointerEnter={() => setHighlighted(span.slot)}
                onPointerLeave={() => setHighlighted(null)}
                type="button"
              >
                <svg aria-hidden="true" height="8" width="22">
                  <path d="M0 4h22" stroke={colour} strokeDasharray={dash.join(" ")} strokeWidth="3" />
                </svg>
                <span className="w-9 font-semibold">{formatSlot(span.slot)}</span>
                <span className="grow truncate text-[13px] text-ink-faint">
                  {describeDescent(generations.get(span.id))}
                </span>
                {span.diverged ? (
                  <span className="text-[13px] text-bad" title={describeDivergence(span.diverged)}>
                    diverged
                  </span>
                ) : (
                  <span className="numeric font-medium">{formatValue(value)}</span>
                )}
              </button>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

/** Living members, best first; those without a value, and those that diverged, last. */
function ranked(spans: readonly Span[], returns: Series) {
  return living(spans)
    .map((span) => ({ span, value: span.diverged ? Number.NaN : lastFinite(returns.columns[span.slot]) }))
    .sort((a, b) => (Number.isNaN(a.value) ? 1 : Number.isNaN(b.value) ? -1 : b.value - a.value))
}

function describeDescent(generations: number | undefined): string {
  if (generations === undefined) return ""
  if (generations === 0) return "founder"
  return generations === 1 ? "1 generation" : `${generations} generations`
}
