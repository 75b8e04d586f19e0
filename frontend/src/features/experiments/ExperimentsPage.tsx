import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { ColumnVisibilityState } from "@tanstack/react-table"
import { useCallback, useMemo, useState } from "react"
import { experimentsQuery } from "@/api/queries"
import { ExperimentCards } from "@/features/experiments/ExperimentCards"
import { ExperimentsTable } from "@/features/experiments/ExperimentsTable"
import { ExperimentsToolbar } from "@/features/experiments/ExperimentsToolbar"
import { FirstStart } from "@/features/experiments/FirstStart"
import { PageTitle } from "@/features/shell/PageStates"
import { formatValue } from "@/lib/format"
import type { ExperimentsSearch } from "@/lib/search"
import { readPreference, writePreference } from "@/lib/storage"
import { useMediaQuery } from "@/lib/useMediaQuery"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/")

function isVisibility(value: unknown): value is ColumnVisibilityState {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((item) => typeof item === "boolean")
  )
}

export function ExperimentsPage() {
  const { search = "", status = null, group = null, sort = "-age" } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMediaQuery("(min-width: 900px)")
  const [visibility, setVisibility] = useState(() =>
    readPreference<ColumnVisibilityState>("columns", {}, isVisibility),
  )
  const query = useInfiniteQuery(experimentsQuery({ search, status, group }))

  const refine = useCallback(
    (change: ExperimentsSearch) => navigate({ search: (old) => ({ ...old, ...change }), replace: true }),
    [navigate],
  )
  const onSearch = useCallback((next: string) => void refine({ search: next || undefined }), [refine])

  function keepVisibility(next: ColumnVisibilityState) {
    setVisibility(next)
    writePreference("columns", next)
  }

  const filtered = search !== "" || status !== null || group !== null
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  const total = query.data?.pages.at(-1)?.total ?? 0
  if (query.data && total === 0 && !filtered) return <FirstStart />

  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle>Experiments</PageTitle>
        <div className="flex flex-wrap items-center gap-2">
          <Link className={buttonStyle("ghost")} to="/import">
            Import Ray lineage
          </Link>
          <Link className={buttonStyle("primary")} to="/new">
            <Icon name="plus" />
            New experiment
          </Link>
        </div>
      </div>
      <section aria-label="Experiments" className="rounded-card border border-line bg-surface shadow-card">
        <div className="border-line border-b px-4 py-3 sm:px-5">
          <ExperimentsToolbar
            group={group}
            onGroup={(next) => refine({ group: next ?? undefined })}
            onSearch={onSearch}
            onStatus={(next) => refine({ status: next ?? undefined })}
            onVisibility={keepVisibility}
            search={search}
            status={status}
            visibility={visibility}
            withColumns={wide}
          />
        </div>
        {query.isPending && <Loading label="Loading experiments" lines={6} />}
        {query.isError && !query.data && (
          <Failure
            error={query.error}
            onRetry={() => query.refetch()}
            title="The experiments could not be loaded"
          />
        )}
        {query.data && items.length === 0 && (
          <Empty
            action={
              <Button
                onClick={() => refine({ search: undefined, status: undefined, group: undefined })}
                size="small"
              >
                Clear the filter
              </Button>
            }
            icon="search"
            title="No experiment matches"
          >
            No experiment has this name, environment, group and status.
          </Empty>
        )}
        {items.length > 0 &&
          (wide ? (
            <ExperimentsTable
              experiments={items}
              onSort={(next) => refine({ sort: next })}
              sort={sort}
              visibility={visibility}
            />
          ) : (
            <ExperimentCards
              experiments={items}
              figure={({ best_return }) => `best ${formatValue(best_return)}`}
            />
          ))}
        {query.data && items.length > 0 && (
          <p className="numeric flex flex-wrap items-center gap-3 px-5 py-2.5 text-[13px] text-ink-faint">
            {countLabel(items.length, total)}
            {query.hasNextPage && (
              <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()} size="small">
                Show more
              </Button>
            )}
          </p>
        )}
      </section>
    </div>
  )
}

function countLabel(shown: number, total: number): string {
  if (shown < total) return `The newest ${shown} of ${total} experiments`
  return shown === 1 ? "1 experiment" : `${shown} experiments`
}
