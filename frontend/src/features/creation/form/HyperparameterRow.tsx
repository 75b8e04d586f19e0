import type { Hyperparameter } from "@/api/types"
import { DistributionPicture } from "@/charts/DistributionPicture"
import { problemOf, resolvedValue, type SpecDraft, spell, writtenValue } from "@/features/creation/form/draft"
import { CONTROL } from "@/features/creation/form/Row"
import {
  describeGiven,
  draw,
  type Given,
  KIND_LABELS,
  type Kind,
  kindsOf,
  readGiven,
  suggest,
  writeGiven,
} from "@/lib/distributions"
import { labelOf } from "@/lib/specSchema"
import { type Path, readText } from "@/lib/specText"
import { classes } from "@/ui/classes"
import { Select } from "@/ui/Select"

interface HyperparameterRowProps {
  draft: SpecDraft
  hyperparameter: Hyperparameter
}

/** A number that all members share, or a distribution from which each draws its own and which methods keep to. */
export function HyperparameterRow({ draft, hyperparameter }: HyperparameterRowProps) {
  const { name, description } = hyperparameter
  const path = ["algorithm", name]
  const label = labelOf(name)
  const value = writtenValue(draft, path)
  const given = typed(draft, path, readGiven(value))
  const filledIn = readGiven(resolvedValue(draft, path) ?? hyperparameter.default)!
  const shown = given ?? filledIn
  const picture = draw(shown, hyperparameter)
  const error = problemOf(draft, path)
  const set = (next: Given | null) => draft.write(path, next === null ? undefined : writeGiven(next))
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1.5 py-2.5">
      <div className="min-w-40 grow basis-0">
        <p className="font-medium text-[13px]">{label}</p>
        <p className="text-[12px] text-ink-faint leading-4">
          {[description, `Default ${spell(hyperparameter.default)}`].filter(Boolean).join(" ")}
        </p>
      </div>
      <div className="flex min-w-44 basis-44 flex-col gap-1.5">
        <Select
          aria-label={`${label}: how it is given`}
          className="w-full"
          onChange={({ target }) =>
            set(target.value === "" ? null : suggest(target.value as Kind, hyperparameter))
          }
          value={given?.kind ?? (value === undefined ? "" : "other")}
        >
          <option value="">{`Left out (${KIND_LABELS[filledIn.kind].toLowerCase()})`}</option>
          {value !== undefined && given === null && <option value="other">As in the text</option>}
          {kindsOf(hyperparameter).map((kind) => (
            <option key={kind} value={kind}>
              {KIND_LABELS[kind]}
            </option>
          ))}
        </Select>
        {given && <Values given={given} label={label} names={hyperparameter.names} onChange={set} />}
        {error && <p className="text-[12px] text-bad leading-4">{error}</p>}
      </div>
      <div className="w-[132px]">
        {picture ? (
          <DistributionPicture
            faint={given === null}
            label={`${label}: ${describeGiven(shown)}`}
            picture={picture}
          />
        ) : (
          <p className="truncate pt-1.5 text-[12px] text-ink-faint" title={describeGiven(shown)}>
            {describeGiven(shown)}
          </p>
        )}
      </div>
    </li>
  )
}

/** With numbers as they were typed, not as they were understood. */
function typed(draft: SpecDraft, path: Path, given: Given | null): Given | null {
  if (given === null) return null
  const places =
    given.kind === "fixed" ? [path] : given.values.map((_, place) => [...path, given.kind, `${place}`])
  const texts = places.map((place) => readText(draft.document, place, draft.shortForms))
  return { ...given, values: given.values.map((value, place) => texts[place] ?? value) }
}

interface ValuesProps {
  given: Given
  label: string
  names: readonly string[] | null
  onChange: (given: Given) => void
}

function Values({ given, label, names, onChange }: ValuesProps) {
  const set = (place: number, value: string) =>
    onChange({ ...given, values: given.values.map((old, other) => (other === place ? value : old)) })
  if (given.kind === "choice") {
    return (
      <input
        aria-label={`${label}: values, with commas between them`}
        autoComplete="off"
        className={CONTROL}
        onChange={({ target }) =>
          onChange({ ...given, values: target.value.split(",").map((value) => value.trimStart()) })
        }
        value={given.values.join(", ")}
      />
    )
  }
  if (given.kind === "fixed") {
    return names ? (
      <Select
        aria-label={`${label}: value`}
        onChange={({ target }) => set(0, target.value)}
        value={given.values[0]}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    ) : (
      <NumberInput
        label={`${label}: value`}
        onChange={(value) => set(0, value)}
        value={given.values[0] ?? ""}
      />
    )
  }
  return (
    <div className="flex items-center gap-1.5">
      <NumberInput
        label={`${label}: from`}
        onChange={(value) => set(0, value)}
        value={given.values[0] ?? ""}
      />
      <span className="text-[12px] text-ink-faint">to</span>
      <NumberInput label={`${label}: to`} onChange={(value) => set(1, value)} value={given.values[1] ?? ""} />
    </div>
  )
}

interface NumberInputProps {
  label: string
  value: string
  onChange: (value: string) => void
}

function NumberInput({ label, value, onChange }: NumberInputProps) {
  return (
    <input
      aria-label={label}
      autoComplete="off"
      className={classes(CONTROL, "numeric")}
      inputMode="decimal"
      onChange={({ target }) => onChange(target.value)}
      value={value}
    />
  )
}
