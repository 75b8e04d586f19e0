import { useMemo, useState } from "react"
import { AncestryPanel } from "@/features/experiment/overview/AncestryPanel"
import { ColourLegend } from "@/features/experiment/overview/ColourLegend"
import { ExploitTable } from "@/features/experiment/overview/ExploitTable"
import { River } from "@/features/experiment/overview/River"
import { useImportedState } from "@/features/lineageImport/useImportedState"
import { formatName } from "@/lib/format"
import { lineageStatistics } from "@/lib/lineage/ancestry"
import { colouring } from "@/lib/lineage/colouring"
import type { Lineage } from "@/lib/lineage/spans"
import { saveText } from "@/lib/saveText"
import type { LineageMode } from "@/lib/search"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Select } from "@/ui/Select"

const MODES: readonly { value: LineageMode; label: string }[] = [
  { value: "river", label: "River" },
  { value: "tree", label: "Tree" },
  { value: "table", label: "Table" },
]

/** A lineage from elsewhere, drawn as a run's is. */
export function ImportedLineage({ lineage }: { lineage: Lineage }) {
  const state = useImportedState(lineage)
  const theme = useTheme()
  const [mode, setMode] = useState<LineageMode>("river")
  const [colour, setColour] = useState("founder")
  const colours = useMemo(
    () => colouring(colour, lineage, state.fitness, theme),
    [colour, lineage, state.fitness, theme],
  )
  const numbers = useMemo(() => lineageStatistics(lineage.spans), [lineage])
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
              onClick={() => saveText("lineage.json", JSON.stringify(lineage, null, 1))}
              size="small"
            >
              JSON
            </Button>
          </>
        }
        flush
        hint={`${lineage.population_size} members, ${numbers.exploits} exploits, ${numbers.foundersAlive} of ${numbers.founders} founders alive`}
        title="Lineage"
      >
        <div className="flex min-h-9 items-center justify-end px-5 pb-2 text-[13px]">
          {mode !== "table" && <ColourLegend legend={colours.legend} mode={colour} />}
        </div>
        {mode === "table" ? (
          <ExploitTable onSelect={state.select} path={state.path} spans={lineage.spans} />
        ) : (
          <River alone colours={colours} form={mode} lineage={lineage} state={state} />
        )}
      </Panel>
      <AncestryPanel lineage={lineage} state={state} />
    </>
  )
}
