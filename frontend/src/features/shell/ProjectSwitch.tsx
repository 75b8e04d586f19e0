import type { Me } from "@/api/accounts"
import { chooseProject, useChosenProject } from "@/lib/project"
import { Select } from "@/ui/Select"

/** For those who have several: which project's experiments are listed, and for which one new ones are. */
export function ProjectSwitch({ me }: { me: Me }) {
  const chosen = useChosenProject()
  if (me.projects.length < 2) return null
  return (
    <Select
      aria-label="Project"
      className="max-w-24 shrink-0 sm:max-w-48"
      onChange={(event) => chooseProject(event.target.value === "" ? null : Number(event.target.value))}
      value={chosen ?? ""}
    >
      <option value="">All projects</option>
      {me.projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  )
}
