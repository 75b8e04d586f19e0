import { useNavigate } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import type { TableRequest } from "@/api/queries"
import { findColumn } from "@/features/experiments/columns"
import { SortHeader } from "@/features/experiments/SortHeader"
import { TableRow } from "@/features/experiments/TableRow"
import type { Selection } from "@/features/experiments/useSelection"
import { useWindows } from "@/features/experiments/useWindows"
import { useHeight } from "@/lib/useSize"
import { classes } from "@/ui/classes"
import { Failure } from "@/ui/States"

interface ExperimentsTableProps {
  request: TableRequest
  columns: readonly string[]
  selection: Selection
  onSort: (sort: string) => void
  /** How many there are, whenever that is known. */
  onTotal?: (total: number) => void
  label: string
}

export const ROW_HEIGHT = 57
const HEADER_HEIGHT = 37
/** Rows beyond the edges, so that scrolling a little shows no gap. */
const BEYOND = 8
/** Until the table has a size. */
const FIRST_HEIGHT = 800

/** Only the rows on screen exist; empty rows above and below keep the others' place. */
export function ExperimentsTable(props: ExperimentsTableProps) {
  const { request, columns, selection, onSort, onTotal, label } = props
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [focused, setFocused] = useState(0)
  const height = useHeight(scroller) || FIRST_HEIGHT
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - BEYOND)
  const wanted = first + Math.ceil(height / ROW_HEIGHT) + 2 * BEYOND
  const rows = useWindows(request, first, wanted)
  const total = rows.total ?? 0
  useEffect(() => {
    if (rows.total !== undefined) onTotal?.(rows.total)
  }, [rows.total, onTotal])
  useEffect(() => {
    scroller.current?.scrollTo?.({ top: 0 })
    setFocused(0)
    void request
  }, [request])

  if (rows.error && rows.total === undefined)
    return <Failure error={rows.error} onRetry={rows.retry} title="The experiments could not be loaded" />
  const loading = rows.total === undefined
  const last = loading ? 8 : Math.min(total, wanted)
  const places = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)

  function focus(place: number) {
    const next = Math.max(0, Math.min(total - 1, place))
    setFocused(next)
    const element = scroller.current
    if (!element) return
    const start = next * ROW_HEIGHT
    const room = element.clientHeight - HEADER_HEIGHT - ROW_HEIGHT
    if (start < element.scrollTop) element.scrollTop = start
    else if (start > element.scrollTop + room) element.scrollTop = start - room
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-place="${next}"]`)?.focus())
  }

  function onKeyDown(event: KeyboardEvent) {
    if (
      event.target instanceof Element &&
      event.target.closest("a, button, input") &&
      event.key !== "ArrowDown" &&
      event.key !== "ArrowUp"
    )
      return
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 2)
    const moves: Record<string, number> = {
      ArrowDown: focused + 1,
      ArrowUp: focused - 1,
      PageDown: focused + page,
      PageUp: focused - page,
      Home: 0,
      End: total - 1,
    }
    const row = rows.at(focused)
    if (event.key in moves) focus(moves[event.key]!)
    else if (event.key === " " && row) selection.toggle(row.id)
    else if (event.key === "Enter" && row) void navigate({ to: "/experiments/$id", params: { id: row.id } })
    else return
    event.preventDefault()
  }

  const shown = columns.map(findColumn)
  const loaded = places.map((place) => rows.at(place)).filter((row) => row !== undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid inside
    <div
      className={classes(
        "max-h-[max(420px,calc(100dvh-250px))] overflow-auto transition-opacity",
        rows.stale && "opacity-60",
      )}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      ref={scroller}
    >
      <table
        aria-busy={loading}
        aria-colcount={shown.length + 1}
        aria-label={label}
        aria-multiselectable
        aria-rowcount={loading ? -1 : total + 1}
        className="w-full border-separate border-spacing-0 text-left"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose rows have keys
        role="grid"
      >
        <thead className="sticky top-0 z-10 bg-surface">
          <tr aria-rowindex={1}>
            <th className="w-16 border-line border-b pl-5 text-left" scope="col">
              <input
                aria-label="Select all that are shown"
                checked={loaded.length > 0 && loaded.every(({ id }) => selection.ids.has(id))}
                className="size-4 accent-accent"
                onChange={(event) =>
                  event.target.checked ? selection.add(loaded.map(({ id }) => id)) : selection.clear()
                }
                type="checkbox"
              />
            </th>
            {shown.map(({ id, header, sort, numeric }) => (
              <SortHeader
                direction={
                  sort === null
                    ? false
                    : request.sort === sort
                      ? "asc"
                      : request.sort === `-${sort}`
                        ? "desc"
                        : false
                }
                key={id}
                numeric={numeric}
                onToggle={
                  sort === null
                    ? null
                    : () =>
                        onSort(
                          request.sort === `-${sort}`
                            ? sort
                            : request.sort === sort || numeric
                              ? `-${sort}`
                              : sort,
                        )
                }
              >
                {header}
              </SortHeader>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden style={{ height: first * ROW_HEIGHT }} />}
          {places.map((place) => (
            <TableRow
              columns={shown}
              key={place}
              onFocus={() => setFocused(place)}
              onOpen={(id) => navigate({ to: "/experiments/$id", params: { id } })}
              place={place}
              reachable={place === focused}
              row={rows.at(place)}
              selection={selection}
            />
          ))}
          {total > last && <tr aria-hidden style={{ height: (total - last) * ROW_HEIGHT }} />}
        </tbody>
      </table>
      {loading && (
        <p className="sr-only" role="status">
          Loading experiments
        </p>
      )}
    </div>
  )
}
