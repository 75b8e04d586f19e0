import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type AuditWish, projectsQuery } from "@/api/accounts"
import { Field } from "@/ui/Field"
import { Select } from "@/ui/Select"

/** What the first words of actions mean. */
const KINDS = {
  sign_in: "Sign-ins",
  sign_out: "Sign-outs",
  token: "Tokens",
  person: "People",
  invitation: "Invitations",
  project: "Projects",
  member: "Members of projects",
  worker: "Workers",
  experiment: "Experiments",
  group: "Groups",
  run: "Runs",
  study: "Studies",
}

interface AuditFiltersProps {
  wish: AuditWish
  onChange: (change: AuditWish) => void
}

export function AuditFilters({ wish, onChange }: AuditFiltersProps) {
  const projects = useQuery(projectsQuery).data ?? []
  const [actor, setActor] = useState(wish.actor ?? "")
  return (
    <section aria-label="Filters" className="flex flex-wrap items-end gap-3 px-4 pb-3 sm:px-5">
      <form
        className="min-w-36 grow basis-36"
        onSubmit={(event) => {
          event.preventDefault()
          onChange({ actor: actor || undefined })
        }}
      >
        <Field
          label="Who"
          onBlur={() => onChange({ actor: actor || undefined })}
          onChange={(event) => setActor(event.target.value)}
          placeholder="name or e-mail address"
          type="search"
          value={actor}
        />
      </form>
      <Select
        aria-label="What"
        className="[&>select]:h-10"
        onChange={(event) => onChange({ action: event.target.value || undefined })}
        value={wish.action ?? ""}
      >
        <option value="">Everything</option>
        <option value="sign_in.failed">Failed sign-ins</option>
        {Object.entries(KINDS).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
        {wish.action && wish.action !== "sign_in.failed" && !(wish.action in KINDS) && (
          <option value={wish.action}>{wish.action}</option>
        )}
      </Select>
      <Select
        aria-label="Project of the records"
        className="max-w-48 [&>select]:h-10"
        onChange={(event) => onChange({ project: Number(event.target.value) || undefined })}
        value={wish.project ?? ""}
      >
        <option value="">All projects</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <div className="flex gap-3">
        <Field
          label="From"
          onChange={(event) => onChange({ since: event.target.value || undefined })}
          type="date"
          value={wish.since ?? ""}
        />
        <Field
          label="To"
          onChange={(event) => onChange({ until: event.target.value || undefined })}
          type="date"
          value={wish.until ?? ""}
        />
      </div>
    </section>
  )
}
