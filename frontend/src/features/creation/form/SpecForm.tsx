import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import { algorithmsQuery, specSchemaQuery } from "@/api/queries"
import type { Hyperparameter, Problem } from "@/api/types"
import { currentName, hasProblem, type SpecDraft } from "@/features/creation/form/draft"
import { Essentials } from "@/features/creation/form/Essentials"
import { FieldRow } from "@/features/creation/form/FieldRow"
import { HyperparameterRow } from "@/features/creation/form/HyperparameterRow"
import { type FormField, fieldsOf, type Schema } from "@/lib/specSchema"
import { readSpec, writeField } from "@/lib/specText"
import { Icon } from "@/ui/Icon"
import { Empty, Failure, Loading } from "@/ui/States"

interface SpecFormProps {
  yaml: string
  resolved: Record<string, unknown> | null
  problems: readonly Problem[]
  onChange: (yaml: string) => void
}

/** Has a place of its own at the top of the form. */
const ESSENTIAL = new Set([
  "name",
  "environment.suite",
  "environment.id",
  "population.size",
  "budget.env_steps",
  "replicates",
  "seed",
])

/** The spec as a form. The text stays the truth: what is typed here is written there, and the other way round. */
export function SpecForm({ yaml, resolved, problems, onChange }: SpecFormProps) {
  const schema = useQuery(specSchemaQuery)
  const { data: algorithms } = useQuery(algorithmsQuery)
  const document = useMemo(() => readSpec(yaml), [yaml])
  if (schema.isPending) return <Loading label="Loading the form" lines={8} />
  if (schema.isError) {
    return (
      <Failure error={schema.error} onRetry={() => schema.refetch()} title="The form could not be loaded" />
    )
  }
  if (document === null) {
    return (
      <Empty icon="template" title="Edited as text">
        A group or a sweep has no single experiment to fill in, and neither has a text that is not valid YAML.
      </Empty>
    )
  }
  const { definition, short_forms: shortForms } = schema.data
  const draft: SpecDraft = {
    ...{ document, shortForms, resolved, problems },
    write: (path, value) => onChange(writeField(yaml, path, value, shortForms)),
  }
  const name = currentName(draft, ["algorithm", "name"])
  const numbers = algorithms?.find((algorithm) => algorithm.name === name)?.hyperparameters ?? []
  return (
    <div className="divide-y divide-line">
      <div className="px-4 py-4 sm:px-5">
        <Essentials draft={draft} onChange={onChange} yaml={yaml} />
      </div>
      {numbers.length > 0 && <Hyperparameters draft={draft} numbers={numbers} />}
      <Sections draft={draft} numbers={numbers} root={definition as Schema} />
    </div>
  )
}

function Hyperparameters({ draft, numbers }: { draft: SpecDraft; numbers: readonly Hyperparameter[] }) {
  return (
    <Section isOpen title="Hyper-parameters" wrong={false}>
      <p className="text-[12px] text-ink-faint">
        Fixed: one value for all members. A distribution: each member draws its own, and the method keeps
        within it. The triangle marks the default.
      </p>
      <ul className="divide-y divide-line">
        {numbers.map((number) => (
          <HyperparameterRow draft={draft} hyperparameter={number} key={number.name} />
        ))}
      </ul>
    </Section>
  )
}

interface SectionsProps {
  draft: SpecDraft
  root: Schema
  numbers: readonly Hyperparameter[]
}

/** Everything else that the language has, a section each; the fields without one come last. */
function Sections({ draft, root, numbers }: SectionsProps) {
  const tuned = new Set(numbers.map(({ name }) => `algorithm.${name}`))
  const isOffered = ({ path }: FormField) => !ESSENTIAL.has(path.join(".")) && !tuned.has(path.join("."))
  const all = fieldsOf(root, root, []).filter(isOffered)
  const isSection = ({ control }: FormField) => control.kind === "section" || control.kind === "variant"
  const sections = all.filter(isSection).map((field) => ({ field, fields: innerFields(draft, root, field) }))
  const others = all.filter((field) => !isSection(field))
  return (
    <>
      {sections.map(({ field, fields }) => (
        <Section key={field.label} title={titleOf(field)} wrong={hasProblem(draft, field.path)}>
          {field.description && <p className="text-[12px] text-ink-faint">{field.description}</p>}
          {fields.filter(isOffered).map((inner) => (
            <FieldRow draft={draft} field={inner} key={inner.path.join(".")} root={root} />
          ))}
        </Section>
      ))}
      <Section title="Other" wrong={others.some(({ path }) => hasProblem(draft, path))}>
        {others.map((field) => (
          <FieldRow draft={draft} field={field} key={field.label} root={root} />
        ))}
      </Section>
    </>
  )
}

function titleOf({ label, path }: FormField): string {
  return path[0] === "algorithm" ? "Structure of the algorithm" : path[0] === "population" ? "Method" : label
}

/** Algorithm and method are chosen above, so here only what they consist of is asked. */
function innerFields(draft: SpecDraft, root: Schema, { control, path }: FormField): FormField[] {
  if (control.kind === "variant") {
    const chosen = control.sections[currentName(draft, [...path, control.by])]
    return chosen ? fieldsOf(root, chosen, path) : []
  }
  if (control.kind !== "section") return []
  return fieldsOf(root, control.schema, path).flatMap((field) =>
    field.path.join(".") === "population.method" ? innerFields(draft, root, field) : [field],
  )
}

interface SectionProps {
  title: string
  /** Something in it is to be corrected. */
  wrong: boolean
  isOpen?: boolean
  children: ReactNode
}

function Section({ title, wrong, isOpen = false, children }: SectionProps) {
  return (
    <details className="group px-4 py-3 sm:px-5" open={isOpen}>
      <summary className="flex cursor-pointer select-none items-center gap-2 rounded font-semibold text-[14px]">
        <span className="-rotate-90 text-ink-faint transition-transform group-open:rotate-0">
          <Icon name="chevron" size={14} />
        </span>
        {title}
        {wrong && <span className="font-normal text-[12px] text-bad">to be corrected</span>}
      </summary>
      <div className="space-y-2.5 pt-3">{children}</div>
    </details>
  )
}
