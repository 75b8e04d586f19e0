import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { countsQuery, type TableRequest } from "@/api/queries"
import type { Count } from "@/api/types"
import { findColumn } from "@/features/experiments/columns"
import { ExperimentsTable } from "@/features/experiments/ExperimentsTable"
import type { Selection } from "@/features/experiments/useSelection"
import { formatValue } from "@/lib/format"
import { both } from "@/lib/query"
import { Icon } from "@/ui/Icon"
import { Empty, Failure, Loading } from "@/ui/States"

interface GroupedTablesProps {
  by: string
  request: TableRequest
  columns: readonly string[]
  selection: Selection
  onSort: (sort: string) => void
}

/** One table for each value of a column, closed until it is wanted. */
export function GroupedTables({ by, request, columns, selection, onSort }: GroupedTablesProps) {
  const counts = useQuery(countsQuery(by, request.query))
  if (counts.isPending) return <Loading label="Loading groups" lines={6} />
  if (counts.isError)
    return <Failure error={counts.error} onRetry={counts.refetch} title="The groups could not be loaded" />
  if (counts.data.length === 0) return <Empty icon="search" title="No experiment matches" />
  return (
    <ul aria-label={`Experiments by ${findColumn(by).header.toLowerCase()}`}>
      {counts.data.map((count) => (
        <li key={count.query}>
          <ValueTable
            by={by}
            columns={columns}
            count={count}
            onSort={onSort}
            request={request}
            selection={selection}
          />
        </li>
      ))}
    </ul>
  )
}

function ValueTable({
  by,
  count,
  request,
  columns,
  selection,
  onSort,
}: GroupedTablesProps & { count: Count }) {
  const [open, setOpen] = useState(false)
  const within = useMemo(
    () => ({ ...request, query: both(request.query, count.query) }),
    [request, count.query],
  )
  const name =
    count.value === null
      ? `no ${by}`
      : typeof count.value === "string"
        ? count.value
        : formatValue(count.value)
  return (
    <>
      <button
        aria-expanded={open}
        className="flex w-full items-center gap-3 border-line border-b px-5 py-3 text-left hover:bg-sunken"
        onClick={() => setOpen(!open)}
        type="button"
      >
        <span className={open ? "" : "-rotate-90"}>
          <Icon name="chevron" size={14} />
        </span>
        <span className="min-w-0 truncate font-medium">{name}</span>
        <span className="numeric text-[13px] text-ink-faint">
          {count.count === 1 ? "1 experiment" : `${count.count} experiments`}
        </span>
        <span className="numeric ml-auto whitespace-nowrap text-[13px] text-ink-soft">
          {count.final_return !== null &&
            `final ${formatValue(count.final_return)} on average, ${formatValue(count.best_final_return)} at best`}
        </span>
      </button>
      {open && (
        <ExperimentsTable
          columns={columns}
          label={`Experiments, ${by} ${name}`}
          onSort={onSort}
          request={within}
          selection={selection}
        />
      )}
    </>
  )
}
