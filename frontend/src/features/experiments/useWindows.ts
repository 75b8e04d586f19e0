/** The rows of a long table that are on screen, asked for in windows. */

import { useQueries } from "@tanstack/react-query"
import { experimentsQuery, type TableRequest, WINDOW } from "@/api/queries"
import type { Row } from "@/api/types"

interface Windows {
  /** Of the whole table; undefined until the first answer. */
  total: number | undefined
  /** The row at a place, once it has arrived. */
  at: (place: number) => Row | undefined
  error: Error | null
  retry: () => void
  /** What is shown belongs to an earlier request. */
  stale: boolean
}

/** `first` and `last` are places in the table. */
export function useWindows(request: TableRequest, first: number, last: number): Windows {
  const from = Math.floor(first / WINDOW)
  const count = Math.floor(Math.max(first, last) / WINDOW) - from + 1
  const queries = useQueries({
    queries: Array.from({ length: count }, (_, index) => experimentsQuery(request, (from + index) * WINDOW)),
  })
  const failed = queries.find((query) => query.isError && !query.data)
  return {
    total: queries.find((query) => query.data)?.data?.total,
    at: (place) => queries[Math.floor(place / WINDOW) - from]?.data?.items[place % WINDOW],
    error: failed?.error ?? null,
    retry: () => queries.forEach((query) => void query.refetch()),
    stale: queries.some((query) => query.isPlaceholderData),
  }
}
