import type { ReactNode } from "react"
import type { Run } from "@/api/types"
import { formatInteger, formatName, formatParameter, formatSlot } from "@/lib/format"
import { describeDivergence } from "@/lib/lineage/describe"
import { type Lineage, movingParameters, type Span, type TunedParameter } from "@/lib/lineage/spans"
import { Icon, type IconName } from "@/ui/Icon"

/** More than these are counted only: where many diverge, the timeline shows them all. */
const NAMED = 3

const INTERRUPTED: Record<Run["interruptions"][number]["reason"], string> = {
  stopped: "Stopped",
  handed_back: "Handed back by its worker",
  extended: "Extended",
}

interface RunNotesProps {
  run: Run
  /** Undefined until it is loaded. */
  lineage: Lineage | undefined
}

/** What a reader of the run's numbers has to know; nothing for an undisturbed run in which nobody diverged. */
export function RunNotes({ run, lineage }: RunNotesProps) {
  const diverged = lineage?.spans.filter((span) => span.diverged !== null) ?? []
  if (run.interruptions.length + diverged.length === 0) return null
  const values = lineage ? movingParameters(lineage) : []
  return (
    <section
      aria-label="Notes on the results"
      className="rounded-card border border-warn/40 bg-surface px-4 py-3 shadow-card sm:px-5"
    >
      <ul className="space-y-1.5">
        {run.interruptions.map(({ step, reason }) => (
          <Note icon="info" key={step}>
            <b className="font-semibold">
              {INTERRUPTED[reason]} at step <span className="numeric">{formatInteger(step)}</span> and taken
              up there.
            </b>{" "}
            Environments restarted, so from this step on the numbers are not those of an undisturbed run.
          </Note>
        ))}
        {diverged.slice(-NAMED).map((span) => (
          <Note icon="alert" key={`span ${span.id}`}>
            <DivergedNote parameters={values} span={span} />
          </Note>
        ))}
        {diverged.length > NAMED && (
          <Note icon="alert">
            {`${diverged.length - NAMED} earlier ${diverged.length - NAMED === 1 ? "member" : "members"} diverged; the timeline marks each with a cross.`}
          </Note>
        )}
      </ul>
    </section>
  )
}

interface DivergedNoteProps {
  span: Span
  /** Those that differ between members; without any, the spec says all. */
  parameters: readonly TunedParameter[]
}

function DivergedNote({ span, parameters }: DivergedNoteProps) {
  const values = parameters.map(
    ({ name, names }) => `${formatName(name)} ${formatParameter(span.hyperparams[name], names)}`,
  )
  return (
    <>
      <b className="font-semibold">Member {formatSlot(span.slot)} diverged</b>:{" "}
      {describeDivergence(span.diverged!)}.{" "}
      {span.end_step === null
        ? "It is set aside, and the others go on."
        : `It was replaced at step ${formatInteger(span.end_step)}.`}{" "}
      {values.length > 0 && <span className="text-ink-soft">It trained with {values.join(", ")}.</span>}
    </>
  )
}

function Note({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <li className="flex gap-2">
      <span className="mt-0.5 text-warn">
        <Icon name={icon} />
      </span>
      <p className="min-w-0 text-pretty break-words">{children}</p>
    </li>
  )
}
