import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useCallback, useEffect, useMemo, useState } from "react"
import { ApiError } from "@/api/errors"
import { experimentsQuery } from "@/api/queries"
import type { SavedView } from "@/api/types"
import { BulkBar } from "@/features/experiments/BulkBar"
import { ColumnMenu } from "@/features/experiments/ColumnMenu"
import { CHOICE, USUAL, valuesOf } from "@/features/experiments/columns"
import { ExperimentList } from "@/features/experiments/ExperimentList"
import { ExperimentsTable } from "@/features/experiments/ExperimentsTable"
import { GroupedTables } from "@/features/experiments/GroupedTables"
import { KeysDialog } from "@/features/experiments/KeysDialog"
import { QueryBox } from "@/features/experiments/QueryBox"
import { useSelection } from "@/features/experiments/useSelection"
import { ViewMenu } from "@/features/experiments/ViewMenu"
import { FirstStart } from "@/features/home/FirstStart"
import { PageTitle } from "@/features/shell/PageStates"
import type { ExperimentsSearch } from "@/lib/search"
import { useMediaQuery } from "@/lib/useMediaQuery"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Select } from "@/ui/Select"
import { Empty } from "@/ui/States"

const route = getRouteApi("/experiments")
const NEWEST_FIRST = "-created"
const UNGROUPED = new Set(["name", "progress", "return", "speed", "created", "ended", "id"])

export function ExperimentsPage() {
  const { query = "", sort = NEWEST_FIRST, columns: listed, by } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMediaQuery("(min-width: 900px)")
  const selection = useSelection()
  const [keys, setKeys] = useState(false)
  const columns = useMemo(() => listed?.split(",") ?? USUAL, [listed])
  const request = useMemo(() => ({ query, sort, columns: valuesOf(columns) }), [query, sort, columns])
  const first = useQuery(experimentsQuery(request))
  const refine = useCallback(
    (change: ExperimentsSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true }),
    [navigate],
  )
  const onQuery = useCallback((next: string) => void refine({ query: next.trim() || undefined }), [refine])
  useKeys(() => setKeys(true))

  const refused = first.error instanceof ApiError && first.error.status === 422 ? first.error : null
  const total = first.data?.total
  if (total === 0 && query === "") return <FirstStart />
  const projects = [...new Set(first.data?.items.map(({ project }) => project.name) ?? [])]
  const groupings = [...CHOICE.filter(({ id }) => !UNGROUPED.has(id)), ...MORE_GROUPINGS]

  function open({ query: saved, layout }: SavedView) {
    void navigate({
      search: {
        query: saved || undefined,
        sort: layout.sort ?? undefined,
        columns: layout.columns.join(",") || undefined,
        by: layout.group_by ?? undefined,
      },
    })
  }

  const table = { request, columns, selection, onSort: (next: string) => refine({ sort: next }) }
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle>Experiments</PageTitle>
        <div className="flex flex-wrap items-center gap-2">
          <Link className={buttonStyle("ghost")} to="/import">
            Import
          </Link>
          <Link className={buttonStyle("primary")} to="/new">
            <Icon name="plus" />
            New experiment
          </Link>
        </div>
      </div>
      <section aria-label="Experiments" className="rounded-card border border-line bg-surface shadow-card">
        <div className="flex flex-wrap items-start gap-2 border-line border-b px-4 py-3 sm:px-5">
          <QueryBox error={refused} onQuery={onQuery} query={query} />
          <Select
            aria-label="Group by"
            className="max-w-48"
            onChange={(event) => refine({ by: event.target.value || undefined })}
            value={by ?? ""}
          >
            <option value="">Not grouped</option>
            {by && !groupings.some(({ id }) => id === by) && <option value={by}>{`By ${by}`}</option>}
            {[...groupings, ...valuesOf(columns).map((id) => ({ id, header: id }))].map(({ id, header }) => (
              <option key={id} value={id}>{`By ${header.toLowerCase()}`}</option>
            ))}
          </Select>
          {wide && (
            <ColumnMenu
              columns={columns}
              onColumns={(next) => refine({ columns: next === USUAL ? undefined : next.join(",") })}
            />
          )}
          <ViewMenu
            layout={{ columns: listed ? [...columns] : [], sort, group_by: by ?? null }}
            onView={open}
            projects={projects}
            query={query}
          />
        </div>
        <BulkBar selection={selection} />
        {refused ? (
          <Empty icon="search" title="The query cannot be read">
            {refused.remedy}
          </Empty>
        ) : total === 0 ? (
          <Empty
            action={
              <Button onClick={() => onQuery("")} size="small">
                Clear the query
              </Button>
            }
            icon="search"
            title="No experiment matches"
          >
            Archived ones are left out unless the query says <code>archived = yes</code>.
          </Empty>
        ) : by ? (
          <GroupedTables by={by} {...table} />
        ) : wide ? (
          <ExperimentsTable label="Experiments" {...table} />
        ) : (
          <ExperimentList request={request} selection={selection} />
        )}
        {total !== undefined && total > 0 && (
          <p className="numeric flex flex-wrap items-center gap-3 px-5 py-2.5 text-[13px] text-ink-faint">
            <span>{total === 1 ? "1 experiment" : `${total.toLocaleString("en-US")} experiments`}</span>
            {wide && (
              <button className="ml-auto rounded hover:text-ink" onClick={() => setKeys(true)} type="button">
                Keys <kbd className="rounded border border-line-strong px-1">?</kbd>
              </button>
            )}
          </p>
        )}
      </section>
      <KeysDialog onOpen={setKeys} open={keys} />
    </div>
  )
}

/** Not columns of their own. */
const MORE_GROUPINGS = [
  { id: "group", header: "Group" },
  { id: "algorithm", header: "Algorithm" },
  { id: "tag", header: "Tag" },
]

/** `/` goes to the query and `?` lists the keys, unless one is writing. */
function useKeys(onHelp: () => void) {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const writes =
        event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]")
      if (writes || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "/") document.querySelector<HTMLElement>("[data-query-box]")?.focus()
      else if (event.key === "?") onHelp()
      else return
      event.preventDefault()
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  })
}
