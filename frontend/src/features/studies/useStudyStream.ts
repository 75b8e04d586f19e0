import { useQueryClient } from "@tanstack/react-query"
import { useCallback } from "react"
import type { StudySummary } from "@/api/generated/types.gen"
import type { Study } from "@/api/types"
import type { Message } from "@/lib/live/hub"
import { useStream } from "@/lib/live/useStream"

/** Follows the studies that are still active. A status is shown as it comes; whatever else happens, the study is asked
 * for again: it has few cells. */
export function useStudyStream(studies: readonly Study[]): void {
  const queryClient = useQueryClient()
  const positionOf = useCallback(
    (id: number) => queryClient.getQueryData<Study>(["studies", id])?.stream ?? null,
    [queryClient],
  )
  const hear = useCallback(
    (id: number, { event, data }: Message) => {
      const queryKey = ["studies", id]
      if (event !== "status") return void queryClient.invalidateQueries({ queryKey, exact: true })
      const { stream: _, ...summary } = data as StudySummary
      queryClient.setQueryData<Study>(queryKey, (known) => known && { ...known, ...summary })
    },
    [queryClient],
  )
  useStream("study", studies, positionOf, hear)
}
