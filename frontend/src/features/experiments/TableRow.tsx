import type { Row } from "@/api/types"
import type { Column } from "@/features/experiments/columns"
import { StarButton } from "@/features/experiments/StarButton"
import type { Selection } from "@/features/experiments/useSelection"
import { classes } from "@/ui/classes"

interface TableRowProps {
  place: number
  /** None while it is on its way. */
  row: Row | undefined
  columns: readonly Column[]
  selection: Selection
  /** One row of the table is reached by Tab; the arrows lead on from there. */
  reachable: boolean
  onFocus: () => void
  onOpen: (id: number) => void
}

export function TableRow({ place, row, columns, selection, reachable, onFocus, onOpen }: TableRowProps) {
  const selected = row !== undefined && selection.ids.has(row.id)
  return (
    <tr
      aria-rowindex={place + 2}
      aria-selected={selected}
      className={classes(
        "-outline-offset-2 group h-[57px] cursor-pointer transition-colors",
        selected ? "bg-accent-soft" : "hover:bg-sunken",
      )}
      data-place={place}
      onClick={() => row && onOpen(row.id)}
      onFocus={onFocus}
      tabIndex={reachable ? 0 : -1}
    >
      {row ? (
        <>
          <td className="whitespace-nowrap border-line border-b pl-5">
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the row from opening */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
            <span className="inline-flex items-center gap-1" onClick={(event) => event.stopPropagation()}>
              <input
                aria-label={`Select ${row.name}`}
                checked={selected}
                className="size-4 accent-accent"
                onChange={() => selection.toggle(row.id)}
                tabIndex={-1}
                type="checkbox"
              />
              <StarButton id={row.id} name={row.name} quiet starred={row.starred} />
            </span>
          </td>
          {columns.map(({ id, numeric, cell }) => (
            <td className={classes("border-line border-b px-3 last:pr-5", numeric && "text-right")} key={id}>
              {cell(row)}
            </td>
          ))}
        </>
      ) : (
        <td className="border-line border-b px-5" colSpan={columns.length + 1}>
          <div className="skeleton h-4" style={{ width: `${88 - ((place * 17) % 40)}%` }} />
        </td>
      )}
    </tr>
  )
}
