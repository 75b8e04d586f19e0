import { useQuery, useQueryClient } from "@tanstack/react-query"
import { fetchLogPage, LOG_PAGE, type LogPart } from "@/api/queries"
import type { LogLine } from "@/api/types"

interface Tail {
  lines: readonly LogLine[]
  next: string | null
}

/** All log lines of a run so far. Only new lines are requested; known ones are kept. */
export function useLogs(run: number, { attempt, rank }: LogPart, active: boolean) {
  const queryClient = useQueryClient()
  const queryKey = ["runs", run, "logs", attempt, rank]
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Tail> => {
      let { lines, next } = queryClient.getQueryData<Tail>(queryKey) ?? { lines: [], next: null }
      for (;;) {
        const page = await fetchLogPage(run, { attempt, rank }, next, signal)
        if (page.items.length > 0) lines = [...lines, ...page.items]
        next = page.next
        if (page.items.length < LOG_PAGE) return { lines, next }
      }
    },
    structuralSharing: false,
    refetchInterval: active ? 1500 : false,
  })
}
