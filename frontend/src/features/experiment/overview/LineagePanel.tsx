import { useMemo } from "react"
import { Operator } from "@/api/types"
import { ColourLegend } from "@/features/experiment/overview/ColourLegend"
import { ExploitTable } from "@/features/experiment/overview/ExploitTable"
import { Timeline } from "@/features/experiment/overview/Timeline"
import type { LineageState } from "@/features/experiment/overview/useOverview"
import { formatName, formatSlot } from "@/lib/format"
import { lanesOf } from "@/lib/lineage/ancestry"
import { colouring } from "@/lib/lineage/colouring"
import { type Lineage, movingParameters } from "@/lib/lineage/spans"
import type { ExperimentSearch, LineageMode } from "@/lib/search"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"
import { Empty } from "@/ui/States"

interface LineagePanelProps {
  state: LineageState
  lineage: Lineage
  colour: string
  mode: LineageMode
  onChange: (search: ExperimentSearch) => void
}

const MODES = [
  { value: "timeline", label: "River", title: "Every member that ever lived, one lane per slot" },
  { value: "tree", label: "Tree", title: "Living members by descent" },
  { value: "table", label: "Table", title: "One row per exploit" },
] as const

const HINTS = {
  timeline:
    "One lane per member; an arc copies the donor's weights into the lane where it ends. Select a bar to follow its ancestry.",
  tree: "One lane per living member; branches split where a copy was made, and are thicker the more living descendants they have. Lines that died out are not drawn.",
  table: "Every copy in chronological order.",
  sampled:
    "One lane per member; an arc leads from the elite with the largest weight to the policies sampled next. Select a bar to follow it back.",
} as const

export function LineagePanel({ state, lineage, colour, mode, onChange }: LineagePanelProps) {
  const { returns, select } = state
  const { stretches } = state.ancestry
  const theme = useTheme()
  const colours = useMemo(() => colouring(colour, lineage, returns, theme), [colour, lineage, returns, theme])
  const parameters = useMemo(() => movingParameters(lineage), [lineage])
  const leaf = stretches.at(-1)?.span
  return (
    <Panel
      actions={
        <>
          {mode !== "table" && (
            <Select
              aria-label="Colour of the bars"
              className="max-w-52"
              onChange={(event) =>
                onChange({ colour: event.target.value === "return" ? undefined : event.target.value })
              }
              value={colour}
            >
              <option value="return">Colour: return</option>
              <option value="founder">Colour: founder</option>
              <optgroup label="Hyper-parameter">
                {parameters.map(({ name }) => (
                  <option key={name} value={name}>{`Colour: ${formatName(name)}`}</option>
                ))}
              </optgroup>
            </Select>
          )}
          <Segmented
            label="View of the lineage"
            onChange={(next) => onChange({ view: next === "timeline" ? undefined : next })}
            options={MODES}
            value={mode}
          />
        </>
      }
      flush
      title="Lineage"
    >
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 pb-2 text-[13px] text-ink-soft sm:px-5">
        {leaf ? (
          <p className="flex flex-wrap items-center gap-x-2">
            <span>
              Ancestry of <b className="font-semibold text-ink">{formatSlot(leaf.slot)}</b>:{" "}
              {lanesOf(stretches).map(formatSlot).join(" → ")}
            </span>
            <Button icon="close" onClick={() => select(null)} size="small" variant="ghost">
              Clear
            </Button>
          </p>
        ) : (
          <p>{mode === "timeline" && isSampled(lineage) ? HINTS.sampled : HINTS[mode]}</p>
        )}
        {mode !== "table" && <ColourLegend legend={colours.legend} mode={colour} />}
      </div>
      {lineage.spans.length === 0 ? (
        <Empty title="No members yet">The river appears when training starts.</Empty>
      ) : mode === "table" ? (
        <ExploitTable onSelect={select} path={stretches} spans={lineage.spans} />
      ) : (
        <Timeline colours={colours} form={mode} lineage={lineage} state={state} />
      )}
    </Panel>
  )
}

/** CEM-RL copies no member: it samples every policy from a distribution fitted to the elites. */
function isSampled({ spans }: Lineage): boolean {
  return spans.some(({ operator }) => operator === Operator.SAMPLE)
}
