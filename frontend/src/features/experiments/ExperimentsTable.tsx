import { useNavigate } from "@tanstack/react-router"
import { type ColumnVisibilityState, type SortingState, useTable } from "@tanstack/react-table"
import type { Summary } from "@/api/types"
import { columns, features } from "@/features/experiments/columns"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

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
              {group.headers.map((header) => {
                const direction = header.column.getIsSorted()
                const numeric = NUMERIC.has(header.column.id)
                return (
                  <th
                    aria-sort={
                      direction === "asc" ? "ascending" : direction === "desc" ? "descending" : undefined
                    }
                    className={classes(
                      "border-line border-b px-3 py-2 first:pl-5 last:pr-5",
                      numeric && "text-right",
                    )}
                    key={header.id}
                    scope="col"
                  >
                    {header.column.getCanSort() ? (
                      <button
                        className="eyebrow inline-flex items-center gap-1 rounded hover:text-ink"
                        onClick={header.column.getToggleSortingHandler()}
                        type="button"
                      >
                        <table.FlexRender header={header} />
                        <span className={direction ? "text-accent" : "opacity-0"}>
                          <Icon name={direction === "asc" ? "arrowUp" : "arrowDown"} size={11} />
                        </span>
                      </button>
                    ) : (
                      <span className="eyebrow">
                        <table.FlexRender header={header} />
                      </span>
                    )}
                  </th>
                )
              })}
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
