import { useRef } from "react"
import type { Study } from "@/api/types"
import { LogChart } from "@/charts/LogChart"
import { StudyTable } from "@/features/studies/StudyTable"
import { type Mark, memberMark } from "@/lib/colour"
import { usePalette } from "@/lib/palette"
import { savePicture } from "@/lib/savePicture"
import { saveText } from "@/lib/saveText"
import {
  algorithmsOf,
  contenderOf,
  contendersOf,
  costLines,
  defaultBaseline,
  type Line,
  rowsOf,
  shapeName,
  shapesOf,
  speedupLines,
  toCsv,
} from "@/lib/studies"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { notifyFailure } from "@/ui/Toasts"

interface StudyFindingsProps {
  studies: readonly Study[]
  baseline: string | undefined
  shape: string | undefined
  onBaseline: (baseline: string) => void
  onShape: (shape: string) => void
}

/** Charts of the selected studies, one panel per algorithm, and every number below them. */
export function StudyFindings({ studies, onBaseline, onShape, ...wanted }: StudyFindingsProps) {
  const palette = usePalette()
  const drawings = useRef(new Map<string, SVGSVGElement>())
  const contenders = contendersOf(studies)
  const shapes = shapesOf(studies).map(shapeName)
  const shape = shapes.find((name) => name === wanted.shape) ?? shapes[0]!
  const baseline = contenders.find((name) => name === wanted.baseline) ?? defaultBaseline(contenders)
  const algorithms = algorithmsOf(studies).filter((name) => costLines(studies, name, shape).length > 0)
  const rows = rowsOf(studies, shape, baseline)

  /** Colours distinguish contenders, line patterns distinguish studies. */
  function markOf({ contender, study }: Pick<Line, "contender" | "study">): Mark {
    const { colour } = memberMark(contenders.indexOf(contender), palette.theme)
    const place = studies.findIndex(({ id }) => id === study)
    return { colour, dash: memberMark(8 * place, palette.theme).dash }
  }

  function keep(name: string) {
    return (drawing: SVGSVGElement | null) => {
      if (drawing) drawings.current.set(name, drawing)
      else drawings.current.delete(name)
    }
  }

  function saveCharts() {
    const legend = studies.flatMap(({ id, name, measurements }) =>
      [...new Set(measurements.map(contenderOf))].map((contender) => ({
        ...markOf({ contender, study: id }),
        label: studies.length > 1 ? `${contender}, ${name} (${id})` : contender,
      })),
    )
    const colours = { paper: palette.surface, ink: palette.ink }
    savePicture("runtime-study.png", [...drawings.current.values()], legend, colours).catch((error) =>
      notifyFailure("The picture could not be made", error),
    )
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="flex items-center gap-2 text-[13px] text-ink-soft">
          Speed-up over
          <Select aria-label="Baseline" onChange={(event) => onBaseline(event.target.value)} value={baseline}>
            {contenders.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </span>
        {shapes.length > 1 && (
          <Select aria-label="Work" onChange={(event) => onShape(event.target.value)} value={shape}>
            {shapes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
        <span className="grow text-[13px] text-ink-faint">{shapes.length === 1 && shape}</span>
        <Button
          icon="download"
          onClick={() => saveText("runtime-study.csv", toCsv(rows))}
          size="small"
          variant="ghost"
        >
          CSV
        </Button>
        <Button icon="download" onClick={saveCharts} size="small" variant="ghost">
          PNG
        </Button>
      </div>
      <Legend contenders={contenders} markOf={markOf} studies={studies} />
      {algorithms.map((algorithm) => {
        const costs = costLines(studies, algorithm, shape)
        const speedups = speedupLines(costs, baseline)
        return (
          <Panel hint="Medians and quartiles" key={algorithm} title={algorithm.toUpperCase()}>
            <div className="grid gap-6 lg:grid-cols-2">
              <LogChart
                label={`Milliseconds per update of the population, ${algorithm}`}
                lines={costs}
                markOf={markOf}
                picture={keep(`${algorithm} cost`)}
                unit={`${algorithm.toUpperCase()}, ms/update`}
              />
              {speedups.length > 0 && (
                <LogChart
                  label={`Speed-up over ${baseline}, ${algorithm}`}
                  lines={speedups}
                  markOf={markOf}
                  picture={keep(`${algorithm} speed-up`)}
                  reference={1}
                  unit={`${algorithm.toUpperCase()}, times as fast as ${baseline}`}
                />
              )}
            </div>
          </Panel>
        )
      })}
      <StudyTable rows={rows} several={studies.length > 1} />
    </>
  )
}

interface LegendProps {
  contenders: readonly string[]
  studies: readonly Study[]
  markOf: (line: Pick<Line, "contender" | "study">) => Mark
}

function Legend({ contenders, studies, markOf }: LegendProps) {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-5 gap-y-1.5 text-[13px] text-ink-soft">
      {contenders.map((contender) => (
        <li className="flex items-center gap-2" key={contender}>
          <span
            className="size-2.5 rounded-full"
            style={{ background: markOf({ contender, study: studies[0]!.id }).colour }}
          />
          {contender}
        </li>
      ))}
      {studies.length > 1 &&
        studies.map(({ id, name, machine }) => (
          <li className="flex items-center gap-2" key={id}>
            <svg aria-hidden="true" height="4" width="28">
              <line
                stroke="currentColor"
                strokeDasharray={markOf({ contender: contenders[0]!, study: id }).dash.join(" ")}
                strokeWidth="2"
                x2="28"
                y1="2"
                y2="2"
              />
            </svg>
            {`${name} (${id}), ${machine?.device_name ?? "not started"}`}
          </li>
        ))}
    </ul>
  )
}
