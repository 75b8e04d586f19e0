import { useQuery } from "@tanstack/react-query"
import { useCallback, useMemo, useState } from "react"
import type { RunLineage } from "@/api/generated/types.gen"
import { type LineageSource, lineageOfImport, lineageSummaryQuery } from "@/api/lineage"
import { MetricName } from "@/api/types"
import { AncestryPanel } from "@/features/experiment/overview/AncestryPanel"
import { ColourLegend } from "@/features/experiment/overview/ColourLegend"
import { ExploitTable } from "@/features/experiment/overview/ExploitTable"
import { Timeline } from "@/features/experiment/overview/Timeline"
import { type LineageState, useAncestry } from "@/features/experiment/overview/useOverview"
import { createCursor } from "@/lib/cursor"
import { formatName } from "@/lib/format"
import { colouring } from "@/lib/lineage/colouring"
import { decodeLineage, type Lineage } from "@/lib/lineage/spans"
import { timeMap } from "@/lib/lineage/timeMap"
import { saveText } from "@/lib/saveText"
import type { LineageMode } from "@/lib/search"
import { emptySeries } from "@/lib/series"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"

const MODES: readonly { value: LineageMode; label: string }[] = [
  { value: "timeline", label: "River" },
  { value: "tree", label: "Tree" },
  { value: "table", label: "Table" },
]

/** An imported lineage, drawn like that of a run. */
export function ImportedLineage({ wire, name }: { wire: RunLineage; name: number }) {
  const lineage = useMemo(() => decodeLineage(wire), [wire])
  const source = useMemo(() => lineageOfImport(wire, name), [wire, name])
  const state = useImportedState(lineage, source)
  const theme = useTheme()
  const [mode, setMode] = useState<LineageMode>("timeline")
  const [colour, setColour] = useState("founder")
  const colours = useMemo(
    () => colouring(colour, lineage, state.returns, theme),
    [colour, lineage, state.returns, theme],
  )
  const { data: summary } = useQuery(lineageSummaryQuery(source, lineage.spans.length, false))
  return (
    <>
      <Panel
        actions={
          <>
            {mode !== "table" && (
              <Select
                aria-label="Colour of the bars"
                className="max-w-52"
                onChange={(event) => setColour(event.target.value)}
                value={colour}
              >
                <option value="founder">Colour: founder</option>
                {lineage.tuned.map(({ name }) => (
                  <option key={name} value={name}>{`Colour: ${formatName(name)}`}</option>
                ))}
              </Select>
            )}
            <Segmented label="View of the lineage" onChange={setMode} options={MODES} value={mode} />
            <Button
              icon="download"
              onClick={() => saveText("lineage.json", JSON.stringify(wire, null, 1))}
              size="small"
            >
              JSON
            </Button>
          </>
        }
        flush
        hint={`${lineage.population_size} members${summary ? `, ${summary.exploits} exploits, ${summary.founders_alive.length} of ${summary.founders} founders alive` : ""}`}
        title="Lineage"
      >
        <div className="flex min-h-9 items-center justify-end px-5 pb-2 text-[13px]">
          {mode !== "table" && <ColourLegend legend={colours.legend} mode={colour} />}
        </div>
        {mode === "table" ? (
          <ExploitTable onSelect={state.select} path={state.ancestry.stretches} spans={lineage.spans} />
        ) : (
          <Timeline alone colours={colours} form={mode} lineage={lineage} state={state} />
        )}
      </Panel>
      <AncestryPanel lineage={lineage} state={state} />
    </>
  )
}

const NO_RETURNS = emptySeries(MetricName.EVALUATION_RETURN)
const NO_MARKS: readonly number[] = []

/** The drawing state of a lineage without a run: steps only, no returns. */
function useImportedState(lineage: Lineage, source: LineageSource): LineageState {
  const [cursor] = useState(createCursor)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const { spans, end_step: endStep } = lineage
  const range = useMemo<readonly [number, number]>(() => [0, Math.max(1, endStep)], [endStep])
  const times = useMemo(() => timeMap(spans, NO_RETURNS, endStep, 0), [spans, endStep])
  const ancestry = useAncestry(source, lineage, chosen)
  /** Selecting the selected span again clears the selection. */
  const select = useCallback((span: number | null) => setChosen((old) => (span === old ? null : span)), [])
  return {
    axis: "steps",
    range,
    times,
    returns: NO_RETURNS,
    source,
    ancestry,
    marks: NO_MARKS,
    cursor,
    highlighted,
    setHighlighted,
    select,
  }
}
