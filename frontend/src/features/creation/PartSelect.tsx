import { useQuery } from "@tanstack/react-query"
import { algorithmsQuery, methodsQuery } from "@/api/queries"
import { type Part, readPart, writePart } from "@/lib/specParts"
import { Select } from "@/ui/Select"

interface PartSelectProps {
  part: Part
  yaml: string
  onChange: (yaml: string) => void
}

const LABELS: Record<Part, string> = { algorithm: "Algorithm", method: "Method" }

/** Writes an installed algorithm or population method, those of plug-ins among them, into the spec's text. */
export function PartSelect({ part, yaml, onChange }: PartSelectProps) {
  const algorithms = useQuery({ ...algorithmsQuery, enabled: part === "algorithm" })
  const methods = useQuery({ ...methodsQuery, enabled: part === "method" })
  const installed = (part === "algorithm" ? algorithms.data : methods.data) ?? []
  const current = readPart(yaml, part)
  const isKnown = installed.some(({ name }) => name === current)
  return (
    <Select
      aria-label={LABELS[part]}
      className="w-36"
      disabled={current === null || installed.length === 0}
      onChange={(event) => onChange(writePart(yaml, part, event.target.value))}
      title={installed.find(({ name }) => name === current)?.summary ?? LABELS[part]}
      value={isKnown ? (current ?? "") : ""}
    >
      {!isKnown && <option value="">{current || `${LABELS[part]}…`}</option>}
      {installed.map(({ name, summary }) => (
        <option key={name} title={summary} value={name}>
          {name}
        </option>
      ))}
    </Select>
  )
}
