import type { Diagnostic } from "@codemirror/lint"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { adviceQuery, specReportQuery } from "@/api/queries"
import { useSubmission } from "@/features/account/useMe"
import { SpecForm } from "@/features/creation/form/SpecForm"
import { PlannedExperiments } from "@/features/creation/PlannedExperiments"
import { PopulationAdvice } from "@/features/creation/PopulationAdvice"
import { ForecastFigures, ProblemList, ResolvedSpec } from "@/features/creation/SpecReportPanel"
import { lineOf, locateProblems } from "@/lib/yamlPositions"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Failure } from "@/ui/States"
import { YamlEditor } from "@/ui/YamlEditor"

interface SpecEditorProps {
  yaml: string
  source: string
  starting: boolean
  onChange: (yaml: string) => void
  onStart: (group: boolean) => void
}

const EDITOR = "h-[min(62vh,680px)] min-h-80 min-w-0 overflow-hidden lg:h-[min(76vh,860px)]"
const VIEWS = [
  { value: "written", label: "Written", title: "The spec as you write it" },
  { value: "resolved", label: "Resolved", title: "The complete spec that will run, with every default" },
] as const

/** The spec as a form and as text, validated as you type, with its forecast and a button to start it. */
export function SpecEditor({ yaml, source, starting, onChange, onStart }: SpecEditorProps) {
  const settled = useDebounced(yaml, 300)
  const report = useQuery(specReportQuery(settled))
  const { project, whyNot } = useSubmission()
  const empty = yaml.trim() === ""
  const current = settled === yaml && !report.isPlaceholderData && !empty ? report.data : undefined
  const advice = useQuery({ ...adviceQuery(settled), enabled: Boolean(current?.forecast) })

  const located = useMemo(() => locateProblems(settled, report.data?.problems ?? []), [settled, report.data])
  const diagnostics = useMemo(
    () =>
      located.map(
        ({ from, to, problem }): Diagnostic => ({
          from,
          to,
          severity: "error",
          message: `${problem.message}. ${problem.remedy}`,
        }),
      ),
    [located],
  )
  const problems = located
    .map(({ problem, from }) => ({ problem, line: lineOf(settled, from) }))
    .sort((a, b) => a.line - b.line)
  const count = current?.forecast?.experiments ?? null
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("written")
  const verdict = verdictOf(empty, report.isError, current?.valid, problems.length)

  return (
    <div className="min-w-0 space-y-5">
      <Panel
        actions={
          <>
            <output className={`text-[13px] ${verdict.tone}`}>{verdict.text}</output>
            <Segmented label="View of the spec" onChange={setView} options={VIEWS} value={view} />
            <Button
              busy={starting}
              disabled={!current?.valid}
              icon="play"
              onClick={() => onStart(count !== null)}
              reason={current?.valid ? whyNot : null}
              title={current?.valid ? undefined : verdict.text}
              variant="primary"
            >
              {count === null ? "Start experiment" : `Start ${count} experiments`}
            </Button>
          </>
        }
        flush
        hint={project ? `${source}, for project ${project}` : source}
        title="Spec"
      >
        <div className="grid border-line border-t lg:grid-cols-2">
          <section
            aria-label="Form"
            className="border-line max-lg:border-b lg:h-[min(76vh,860px)] lg:overflow-y-auto lg:border-r"
          >
            <SpecForm
              onChange={onChange}
              problems={report.data?.problems ?? []}
              resolved={empty ? null : (report.data?.spec ?? null)}
              yaml={yaml}
            />
          </section>
          <YamlEditor
            // Hidden, not removed: its undo history stays.
            className={classes(EDITOR, view !== "written" && "hidden")}
            diagnostics={diagnostics}
            label="Experiment spec in YAML"
            onChange={onChange}
            value={yaml}
          />
          {view === "resolved" && (
            <ResolvedSpec
              className={EDITOR}
              notes={report.data?.notes ?? []}
              yaml={empty ? null : report.data?.resolved}
            />
          )}
        </div>
      </Panel>
      {report.isError && !report.data && (
        <Panel>
          <Failure
            error={report.error}
            onRetry={() => report.refetch()}
            title="The spec could not be checked"
          />
        </Panel>
      )}
      {!empty && problems.length > 0 && (
        <Panel title={problems.length === 1 ? "1 problem" : `${problems.length} problems`}>
          <ProblemList problems={problems} />
        </Panel>
      )}
      {!empty && report.data?.forecast && (
        <Panel hint="What this spec needs, before anything is started" title="Forecast">
          <ForecastFigures advice={advice.data} forecast={report.data.forecast} spec={report.data.spec} />
        </Panel>
      )}
      {!empty && report.data?.experiments && (
        <Panel flush hint="All are submitted together, or none" title="What it becomes">
          <PlannedExperiments experiments={report.data.experiments} />
        </Panel>
      )}
      {current?.forecast && <PopulationAdvice yaml={settled} />}
    </div>
  )
}

function verdictOf(empty: boolean, failed: boolean, valid: boolean | undefined, count: number) {
  if (empty) return { text: "Choose a preset or write a spec", tone: "text-ink-faint" }
  if (failed) return { text: "Could not be checked", tone: "text-bad" }
  if (valid === undefined) return { text: "Checking…", tone: "text-ink-faint" }
  if (valid) return { text: "Valid", tone: "text-good font-medium" }
  return { text: count === 1 ? "1 problem to fix" : `${count} problems to fix`, tone: "text-bad font-medium" }
}

/** A value that follows another once that has rested for a while. */
function useDebounced<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}
