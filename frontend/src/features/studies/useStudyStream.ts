import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import type { StudySummary } from "@/api/generated/types.gen"
import { isActive, type Study } from "@/api/types"
import { follow } from "@/lib/live/live"

/** Follows the studies that are still active. */
export function useStudyStream(studies: readonly Study[]): void {
  const queryClient = useQueryClient()
  const active = studies
    .filter(({ status }) => isActive(status))
    .map(({ id }) => id)
    .join(",")
  useEffect(() => {
    const ids = active === "" ? [] : active.split(",").map(Number)
    const closers = ids.map((id) => followStudy(id, queryClient))
    return () => {
      for (const close of closers) close()
    }
  }, [active, queryClient])
}

/** A status is shown as it comes. Whatever else happens, the study is asked for again: it has few cells. */
function followStudy(id: number, queryClient: QueryClient): () => void {
  const queryKey = ["studies", id]
  const after = queryClient.getQueryData<Study>(queryKey)?.stream ?? null
  return follow(
    { kind: "study", id, after },
    {
      onMessage: ({ event, data }) => {
        if (event !== "status") return void queryClient.invalidateQueries({ queryKey, exact: true })
        const { stream: _, ...summary } = data as StudySummary
        queryClient.setQueryData<Study>(queryKey, (known) => known && { ...known, ...summary })
      },
      onConnection: () => {},
    },
  )
}
