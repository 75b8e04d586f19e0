import { getRouteApi } from "@tanstack/react-router"
import { Priority, type Share } from "@/api/types"
import { choicesOf, isFiltered } from "@/lib/queue"
import type { QueueSearch } from "@/lib/search"
import { Button } from "@/ui/Button"
import { Select } from "@/ui/Select"

const route = getRouteApi("/queue")

/** Whose work is shown, kept in the address. */
export function QueueFilters({ shares }: { shares: readonly Share[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { projects, people } = choicesOf(shares)
  const choose = (change: QueueSearch) =>
    navigate({ search: (old) => ({ ...old, shown: undefined, ...change }), replace: true })
  const number = (value: string) => (value === "" ? undefined : Number(value))
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Project"
        onChange={(event) => choose({ project: number(event.target.value) })}
        value={search.project ?? ""}
      >
        <option value="">All projects</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Owner"
        onChange={(event) => choose({ owner: number(event.target.value) })}
        value={search.owner ?? ""}
      >
        <option value="">Everyone</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Class"
        onChange={(event) => choose({ priority: (event.target.value || undefined) as Priority | undefined })}
        value={search.priority ?? ""}
      >
        <option value="">All classes</option>
        {Object.values(Priority)
          .toReversed()
          .map((priority) => (
            <option key={priority} value={priority}>
              {`${priority} class`}
            </option>
          ))}
      </Select>
      {isFiltered(search) && (
        <Button
          icon="close"
          onClick={() => choose({ project: undefined, owner: undefined, priority: undefined })}
          size="small"
          variant="ghost"
        >
          Clear
        </Button>
      )}
    </div>
  )
}
