import { useQuery } from "@tanstack/react-query"
import type { ColumnVisibilityState } from "@tanstack/react-table"
import { useEffect, useState } from "react"
import { groupsQuery } from "@/api/queries"
import { ExperimentStatus } from "@/api/types"
import { HIDEABLE } from "@/features/experiments/columns"
import { Button } from "@/ui/Button"
import { CheckMenu } from "@/ui/CheckMenu"
import { Icon } from "@/ui/Icon"
import { Select } from "@/ui/Select"
import { statusLabel } from "@/ui/StatusChip"

interface ExperimentsToolbarProps {
  search: string
  status: ExperimentStatus | null
  group: number | null
  visibility: ColumnVisibilityState
  withColumns: boolean
  onSearch: (search: string) => void
  onGroup: (group: number | null) => void
  onStatus: (status: ExperimentStatus | null) => void
  onVisibility: (visibility: ColumnVisibilityState) => void
}

export function ExperimentsToolbar(props: ExperimentsToolbarProps) {
  const { search, status, group, visibility, withColumns, onSearch, onStatus, onGroup, onVisibility } = props
  const groups = useQuery(groupsQuery).data ?? []
  const [draft, setDraft] = useState(search)
  useEffect(() => {
    const timer = setTimeout(() => draft !== search && onSearch(draft), 250)
    return () => clearTimeout(timer)
  }, [draft, search, onSearch])
  const items = HIDEABLE.map((item) => ({ ...item, checked: visibility[item.id] !== false }))
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="relative min-w-40 grow sm:max-w-72">
        <span className="sr-only">Filter by name or environment</span>
        <span className="-translate-y-1/2 absolute top-1/2 left-2.5 text-ink-faint">
          <Icon name="search" size={14} />
        </span>
        <input
          className="h-8 w-full rounded-lg border border-line-strong bg-surface pr-2 pl-8 text-[13px] placeholder:text-ink-faint hover:border-ink-faint"
          onChange={(event) => setDraft(event.target.value)}
          placeholder="Filter by name or environment"
          type="search"
          value={draft}
        />
      </label>
      <Select
        aria-label="Filter by status"
        onChange={(event) => onStatus((event.target.value || null) as ExperimentStatus | null)}
        value={status ?? ""}
      >
        <option value="">All statuses</option>
        {Object.values(ExperimentStatus).map((option) => (
          <option key={option} value={option}>
            {statusLabel(option)}
          </option>
        ))}
      </Select>
      {(groups.length > 0 || group !== null) && (
        <Select
          aria-label="Filter by group"
          className="max-w-48"
          onChange={(event) => onGroup(event.target.value ? Number(event.target.value) : null)}
          value={group ?? ""}
        >
          <option value="">All groups</option>
          {group !== null && !groups.some(({ id }) => id === group) && (
            <option value={group}>{`Group ${group}`}</option>
          )}
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {`${name} (${id})`}
            </option>
          ))}
        </Select>
      )}
      {withColumns && (
        <CheckMenu
          heading="Columns"
          items={items}
          onToggle={(id, checked) => onVisibility({ ...visibility, [id]: checked })}
          trigger={
            <Button icon="columns" size="small">
              Columns
            </Button>
          }
        />
      )}
    </div>
  )
}
