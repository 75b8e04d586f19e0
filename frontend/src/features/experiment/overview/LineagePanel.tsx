import { useMemo } from "react"
import { ColourLegend } from "@/features/experiment/overview/ColourLegend"
import { ExploitTable } from "@/features/experiment/overview/ExploitTable"
import { River } from "@/features/experiment/overview/River"
import type { Overview } from "@/features/experiment/overview/useOverview"
import { formatName, formatSlot } from "@/lib/format"
import { lanesOf } from "@/lib/lineage/ancestry"
import { colouring } from "@/lib/lineage/colouring"
import { type Lineage, movingParameters } from "@/lib/lineage/spans"
import type { RunView } from "@/lib/run/runView"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"
import { Empty } from "@/ui/States"

interface LineagePanelProps {
  overview: Overview
  view: RunView
}

const MODES = [
  { value: "river", label: "River", title: "Everybody who lived, a lane a slot" },
  { value: "tree", label: "Tree", title: "The living by descent" },
  { value: "table", label: "Table", title: "Every exploit in words" },
] as const

const HINTS = {
  river:
    "One lane a member; an arc copies a donor's weights into the lane it falls into. Choose a bar to follow its ancestry.",
  tree: "One lane a living member; branches part where a copy was made, and are as thick as they have living descendants. What died out is not drawn.",
  table: "Every copy in order of time.",
  drawn:
    "One lane a member; an arc leads from the heaviest elite to policies that were drawn next. Choose a bar to follow it back.",
} as const

export function LineagePanel({ overview, view }: LineagePanelProps) {
  const { lineage } = view
  const { colour, fitness, mode, path } = overview
  const theme = useTheme()
  const colours = useMemo(() => colouring(colour, lineage, fitness, theme), [colour, lineage, fitness, theme])
  const parameters = useMemo(() => movingParameters(lineage), [lineage])
  const leaf = path.at(-1)
  return (
    <Panel
      actions={
        <>
          {mode !== "table" && (
            <Select
              aria-label="Colour of the bars"
              className="max-w-52"
              onChange={(event) =>
                overview.change({ colour: event.target.value === "fitness" ? undefined : event.target.value })
              }
              value={colour}
            >
              <option value="fitness">Colour: fitness</option>
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
            onChange={(next) => overview.change({ view: next === "river" ? undefined : next })}
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
              {lanesOf(path).map(formatSlot).join(" → ")}
            </span>
            <Button icon="close" onClick={() => overview.select(null)} size="small" variant="ghost">
              Clear
            </Button>
          </p>
        ) : (
          <p>{mode === "river" && isDrawnAnew(lineage) ? HINTS.drawn : HINTS[mode]}</p>
        )}
        {mode !== "table" && <ColourLegend legend={colours.legend} mode={colour} />}
      </div>
      {lineage.spans.length === 0 ? (
        <Empty title="No members yet">The river springs up with the founders, when the trainer starts.</Empty>
      ) : mode === "table" ? (
        <ExploitTable onSelect={overview.select} path={path} spans={lineage.spans} />
      ) : (
        <River colours={colours} form={mode} lineage={lineage} state={overview} />
      )}
    </Panel>
  )
}

/** CEM-RL copies nobody: it draws every policy anew from what the elites were like. */
function isDrawnAnew({ spans }: Lineage): boolean {
  return spans.some(({ operator }) => operator === "sample")
}
