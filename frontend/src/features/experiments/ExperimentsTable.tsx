import { useNavigate } from "@tanstack/react-router"
import { type ColumnVisibilityState, type SortingState, useTable } from "@tanstack/react-table"
import type { Summary } from "@/api/types"
import { columns, features } from "@/features/experiments/columns"
import { SortHeader } from "@/features/experiments/SortHeader"
import { classes } from "@/ui/classes"

interface ExperimentsTableProps {
  experiments: Summary[]
  visibility: ColumnVisibilityState
  sort: string
  onSort: (sort: string) => void
}

const NUMERIC = new Set(["population", "best", "last", "speed"])

function toSorting(sort: string): SortingState {
  return [{ id: sort.replace(/^-/, ""), desc: sort.startsWith("-") }]
}

export function ExperimentsTable({ experiments, visibility, sort, onSort }: ExperimentsTableProps) {
  const navigate = useNavigate()
  const table = useTable({
    features,
    columns,
    data: experiments,
    state: { columnVisibility: visibility, sorting: toSorting(sort) },
    enableSortingRemoval: false,
    onSortingChange: (update) => {
      const [first] = typeof update === "function" ? update(toSorting(sort)) : update
      if (first) onSort(`${first.desc ? "-" : ""}${first.id}`)
    },
    getRowId: (row) => String(row.id),
  })
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 text-left">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <SortHeader
                  direction={header.column.getIsSorted()}
                  key={header.id}
                  numeric={NUMERIC.has(header.column.id)}
                  onToggle={
                    header.column.getCanSort() ? (header.column.getToggleSortingHandler() ?? null) : null
                  }
                >
                  <table.FlexRender header={header} />
                </SortHeader>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr
              className="cursor-pointer transition-colors hover:bg-sunken"
              key={row.id}
              onClick={() => navigate({ to: "/experiments/$id", params: { id: row.original.id } })}
            >
              {row.getVisibleCells().map((cell) => (
                <td
                  className={classes(
                    "h-14 border-line border-b px-3 first:pl-5 last:pr-5",
                    NUMERIC.has(cell.column.id) && "text-right",
                  )}
                  key={cell.id}
                >
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
