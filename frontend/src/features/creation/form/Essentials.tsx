import { useQuery } from "@tanstack/react-query"
import { algorithmsQuery, environmentsQuery, methodsQuery } from "@/api/queries"
import { EnvironmentPicker } from "@/features/creation/EnvironmentPicker"
import {
  currentName,
  problemOf,
  resolvedValue,
  type SpecDraft,
  spell,
  writtenText,
} from "@/features/creation/form/draft"
import { CONTROL, Row } from "@/features/creation/form/Row"
import { CheckEnvironment } from "@/features/environmentChecks/CheckEnvironment"
import { describeSpace } from "@/lib/environments"
import { readEnvironment, readOptions } from "@/lib/specEnvironment"
import type { Path } from "@/lib/specText"
import { Select } from "@/ui/Select"

interface EssentialsProps {
  draft: SpecDraft
  yaml: string
  onChange: (yaml: string) => void
}

/** What nearly every experiment says: the task, who learns it, how many and how long. */
export function Essentials({ draft, yaml, onChange }: EssentialsProps) {
  return (
    <div className="space-y-2.5">
      <Line draft={draft} label="Name" path={["name"]} />
      <EnvironmentRow draft={draft} onChange={onChange} yaml={yaml} />
      <AlgorithmRow draft={draft} />
      <MethodRow draft={draft} />
      <Line draft={draft} hint="In each population" label="Members" path={["population", "size"]} />
      <Line
        draft={draft}
        hint="Environment steps of each member; 250k and 1M are understood"
        label="Steps"
        path={["budget", "env_steps"]}
      />
      <Line
        draft={draft}
        hint="Independent populations, the unit of statistics: ten or more for a claim"
        label="Replicates"
        path={["replicates"]}
      />
      <Line draft={draft} label="Seed" path={["seed"]} />
    </div>
  )
}

interface LineProps {
  draft: SpecDraft
  path: Path
  label: string
  hint?: string
}

function Line({ draft, path, label, hint }: LineProps) {
  const error = problemOf(draft, path)
  return (
    <Row error={error} hint={hint} label={label}>
      {({ id, describedBy }) => (
        <input
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
          autoComplete="off"
          className={CONTROL}
          id={id}
          onChange={(event) => draft.write(path, event.target.value || undefined)}
          placeholder={spell(resolvedValue(draft, path))}
          value={writtenText(draft, path) ?? ""}
        />
      )}
    </Row>
  )
}

function EnvironmentRow({ draft, yaml, onChange }: EssentialsProps) {
  const { data: environments } = useQuery(environmentsQuery)
  const id = currentName(draft, ["environment", "id"])
  const suite = currentName(draft, ["environment", "suite"])
  const found = environments?.find((other) => other.id === id && (suite === "" || other.suite === suite))
  return (
    <Row
      error={problemOf(draft, ["environment", "id"])}
      hint={
        found &&
        `${found.suite} · observations ${describeSpace(found.observation)} · actions ${describeSpace(found.action)}`
      }
      label="Environment"
    >
      {(ids) => (
        <>
          <EnvironmentPicker {...ids} name={id} onChange={onChange} yaml={yaml} />
          <CheckEnvironment
            environment={{ suite: readEnvironment(yaml)?.suite ?? null, id, options: readOptions(yaml) }}
          />
        </>
      )}
    </Row>
  )
}

function AlgorithmRow({ draft }: { draft: SpecDraft }) {
  const { data: installed = [] } = useQuery(algorithmsQuery)
  const found = installed.find(({ name }) => name === currentName(draft, ["algorithm", "name"]))
  return (
    <PartRow
      draft={draft}
      hint={found && `${found.summary} Defaults: ${found.defaults_source}.`}
      installed={installed}
      label="Algorithm"
      path={["algorithm"]}
    />
  )
}

const TUNING = {
  required: "It needs hyper-parameters with a distribution.",
  usual: "It usually has hyper-parameters with a distribution.",
  optional: "",
}

function MethodRow({ draft }: { draft: SpecDraft }) {
  const { data: installed = [] } = useQuery(methodsQuery)
  const algorithm = currentName(draft, ["algorithm", "name"])
  const found = installed.find(({ name }) => name === currentName(draft, ["population", "method", "name"]))
  return (
    <PartRow
      draft={draft}
      hint={found && `${found.summary} ${TUNING[found.tuning]}`}
      installed={installed.filter(({ algorithms }) => algorithms.includes(algorithm) || algorithm === "")}
      label="Method"
      path={["population", "method"]}
    />
  )
}

interface PartRowProps {
  draft: SpecDraft
  label: string
  hint: string | undefined
  path: Path
  installed: readonly { name: string; title: string }[]
}

/** A part by its name. Its fields go with it: those of one mean nothing to another. */
function PartRow({ draft, label, hint, path, installed }: PartRowProps) {
  const written = writtenText(draft, [...path, "name"])
  const filledIn = spell(resolvedValue(draft, [...path, "name"]))
  return (
    <Row error={problemOf(draft, [...path, "name"])} hint={hint} label={label}>
      {({ id, describedBy }) => (
        <Select
          aria-describedby={describedBy}
          aria-label={label}
          className="w-full"
          disabled={installed.length === 0}
          id={id}
          onChange={(event) => draft.write(path, event.target.value || undefined)}
          value={written ?? ""}
        >
          {(written === undefined || path.length > 1) && (
            <option value="">{filledIn ? `${filledIn} (left out)` : "Choose…"}</option>
          )}
          {written !== undefined && !installed.some(({ name }) => name === written) && (
            <option value={written}>{written}</option>
          )}
          {installed.map(({ name, title }) => (
            <option key={name} value={name}>
              {title === name ? name : `${name} · ${title}`}
            </option>
          ))}
        </Select>
      )}
    </Row>
  )
}
