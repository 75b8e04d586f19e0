import { useMemo, useState } from "react"
import type { SpanOutcome } from "@/api/types"
import { ParallelCoordinates } from "@/charts/ParallelCoordinates"
import {
  type Axis,
  type Brushes,
  bestSpans,
  colourClasses,
  isBrushed,
  sayValue,
  thinOut,
} from "@/lib/explain"
import { formatInteger, formatName, formatSlot, formatSteps, formatValue } from "@/lib/format"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { CELL, HEADING } from "@/ui/tableStyle"

interface CoordinatesPanelProps {
  parameters: readonly Axis[]
  outcome: Axis
  spans: readonly SpanOutcome[]
}

/** Lines that are drawn at most. */
const MOST_LINES = 4000
const LISTED = 10

/** All values of each span beside its outcome; what is brushed stays in front and in the table. */
export function CoordinatesPanel({ parameters, outcome, spans }: CoordinatesPanelProps) {
  const theme = useTheme()
  const [brushes, setBrushes] = useState<Brushes>({})
  const axes = useMemo(() => [...parameters, outcome], [parameters, outcome])
  const drawn = useMemo(() => thinOut(spans, MOST_LINES), [spans])
  const chosen = useMemo(() => spans.filter((span) => isBrushed(span, axes, brushes)), [spans, axes, brushes])
  const inside = useMemo(() => drawn.filter((span) => isBrushed(span, axes, brushes)), [drawn, axes, brushes])
  const outside = useMemo(
    () => drawn.filter((span) => !isBrushed(span, axes, brushes)),
    [drawn, axes, brushes],
  )
  const classes = useMemo(() => colourClasses(inside, outcome, theme), [inside, outcome, theme])
  const brushed = Object.keys(brushes).length > 0

  function brush(key: string, next: readonly [number, number] | null) {
    setBrushes(({ [key]: _, ...rest }) =>
      next === null || (next[0] <= 0 && next[1] >= 1) ? rest : { ...rest, [key]: next },
    )
  }

  return (
    <Panel
      actions={
        brushed && (
          <Button icon="retry" onClick={() => setBrushes({})} size="small" variant="ghost">
            Show all
          </Button>
        )
      }
      hint="One line per span. Drag along an axis to keep what lies there, or move its ends with the arrow keys"
      title="Values and outcome together"
    >
      <ParallelCoordinates
        axes={axes}
        brushes={brushes}
        classes={classes}
        label={`${formatInteger(spans.length)} spans across ${axes.map(({ key }) => formatName(key)).join(", ")}`}
        onBrush={brush}
        others={outside}
      />
      <p aria-live="polite" className="pt-2 text-[13px] text-ink-soft">
        {brushed
          ? `${formatInteger(chosen.length)} of ${formatInteger(spans.length)}`
          : formatInteger(spans.length)}{" "}
        spans
        {drawn.length < spans.length && `, of which every ${Math.ceil(spans.length / MOST_LINES)}th is drawn`}
        . The best of them:
      </p>
      <BestTable axes={parameters} outcome={outcome} spans={bestSpans(chosen, outcome, LISTED)} />
    </Panel>
  )
}

interface BestTableProps {
  axes: readonly Axis[]
  outcome: Axis
  spans: readonly SpanOutcome[]
}

function BestTable({ axes, outcome, spans }: BestTableProps) {
  const pooled = new Set(spans.map(({ run_id }) => run_id)).size > 1
  if (spans.length === 0)
    return <p className="py-3 text-ink-faint">No span with a known outcome lies there.</p>
  return (
    <div className="overflow-x-auto">
      <table className="numeric w-full text-left text-[13px]">
        <thead>
          <tr>
            {pooled && (
              <th className={HEADING} scope="col">
                Run
              </th>
            )}
            <th className={HEADING} scope="col">
              Member
            </th>
            <th className={HEADING} scope="col">
              Steps
            </th>
            {[...axes, outcome].map(({ key }) => (
              <th className={`${HEADING} text-right`} key={key} scope="col">
                {formatName(key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spans.map((span) => (
            <tr key={`${span.run_id} ${span.span}`}>
              {pooled && <td className={CELL}>{span.run_id}</td>}
              <td className={CELL}>{formatSlot(span.member)}</td>
              <td className={`${CELL} whitespace-nowrap`}>
                {formatSteps(span.start_step)} to {formatSteps(span.end_step)}
              </td>
              {axes.map((axis) => (
                <td className={`${CELL} text-right`} key={axis.key}>
                  {sayValue(axis, axis.read(span))}
                </td>
              ))}
              <td className={`${CELL} text-right font-medium`}>{formatValue(outcome.read(span))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
