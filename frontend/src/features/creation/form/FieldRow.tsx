import {
  currentName,
  problemOf,
  resolvedValue,
  type SpecDraft,
  spell,
  writtenText,
  writtenValue,
} from "@/features/creation/form/draft"
import { CONTROL, Row } from "@/features/creation/form/Row"
import { type FormField, fieldsOf, labelOf, type Schema } from "@/lib/specSchema"
import type { Path } from "@/lib/specText"
import { Select } from "@/ui/Select"

interface FieldRowProps {
  draft: SpecDraft
  root: Schema
  field: FormField
}

/** One field of the language by the control that suits it; a section brings its own fields along. */
export function FieldRow({ draft, root, field }: FieldRowProps) {
  const { control, path, label } = field
  switch (control.kind) {
    case "section":
      return <Fields draft={draft} fields={fieldsOf(root, control.schema, path)} root={root} title={label} />
    case "variant": {
      const names = Object.keys(control.sections)
      const choice = {
        ...field,
        path: [...path, control.by],
        control: { kind: "choice", options: names },
      } as const
      const chosen = control.sections[currentName(draft, choice.path)]
      const write = (_: Path, value: unknown) =>
        // Fields of one kind mean nothing to another, so they go with it.
        draft.write(path, value === undefined ? undefined : { [control.by]: value })
      return (
        <>
          <SingleField draft={{ ...draft, write }} field={choice} />
          {chosen && <Fields draft={draft} fields={fieldsOf(root, chosen, path)} root={root} />}
        </>
      )
    }
    default:
      return <SingleField draft={draft} field={field} />
  }
}

interface FieldsProps {
  draft: SpecDraft
  root: Schema
  fields: readonly FormField[]
  title?: string
}

function Fields({ draft, root, fields, title }: FieldsProps) {
  if (fields.length === 0) return null
  return (
    <fieldset className="space-y-2.5 border-line border-l-2 pl-3">
      {title && <legend className="float-left mb-1.5 w-full font-medium text-[13px]">{title}</legend>}
      {fields.map((field) => (
        <FieldRow draft={draft} field={field} key={field.path.join(".")} root={root} />
      ))}
    </fieldset>
  )
}

function SingleField({ draft, field }: { draft: SpecDraft; field: FormField }) {
  const { path, label, description, control } = field
  const written = writtenText(draft, path)
  const left = spell(resolvedValue(draft, path))
  const error = problemOf(draft, path)
  return (
    <Row error={error} hint={description} label={label}>
      {({ id, describedBy }) => {
        const common = {
          id,
          "aria-describedby": describedBy,
          "aria-invalid": error ? true : undefined,
        } as const
        switch (control.kind) {
          case "choice": {
            const { options } = control
            return (
              <Select
                {...common}
                aria-label={label}
                className="w-full"
                onChange={(event) => draft.write(path, event.target.value || undefined)}
                value={written ?? ""}
              >
                <option value="">{left ? `${nameOf(left)} (left out)` : "Left out"}</option>
                {written !== undefined && !options.includes(written) && (
                  <option value={written}>{written}</option>
                )}
                {options.map((option) => (
                  <option key={option} value={option}>
                    {nameOf(option)}
                  </option>
                ))}
              </Select>
            )
          }
          case "list":
            return (
              <input
                {...common}
                autoComplete="off"
                className={CONTROL}
                onChange={(event) => draft.write(path, listOf(event.target.value))}
                placeholder={left}
                value={listText(writtenValue(draft, path), written)}
              />
            )
          case "number":
          case "text":
            return (
              <input
                {...common}
                autoComplete="off"
                className={CONTROL}
                inputMode={control.kind === "number" ? "decimal" : undefined}
                onChange={(event) => draft.write(path, event.target.value || undefined)}
                placeholder={left}
                value={written ?? ""}
              />
            )
          default:
            return (
              <output {...common} className="block truncate pt-1.5 text-[13px] text-ink-faint">
                {written ?? (left && left !== "{}" ? left : "Left out")} · edited in the text
              </output>
            )
        }
      }}
    </Row>
  )
}

function nameOf(option: string): string {
  return { true: "Yes", false: "No" }[option] ?? labelOf(option)
}

/** What is typed between commas. One that ends in a comma is still being typed, which an empty last place keeps. */
function listOf(text: string): string[] | undefined {
  return text.trim() === "" ? undefined : text.split(",").map((part) => part.trimStart())
}

function listText(value: unknown, written: string | undefined): string {
  return Array.isArray(value)
    ? value.map((part) => (part === null ? "" : String(part))).join(", ")
    : (written ?? "")
}
