import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { isActive, type Study, type StudyUpdate } from "@/api/types"

const RETRY_MILLISECONDS = 2000

/** Applies an update of a study's stream to the cache that the page reads. */
export function applyUpdate(
  queryClient: QueryClient,
  { position, measurements, ...summary }: StudyUpdate,
): void {
  queryClient.setQueryData<Study>(["studies", summary.id], (known) =>
    known
      ? {
          ...known,
          ...summary,
          measurements: [...known.measurements.slice(0, position), ...measurements],
        }
      : known,
  )
}

/** Follows the studies that are still active. */
export function useStudyStream(studies: readonly Study[]): void {
  const queryClient = useQueryClient()
  const active = studies
    .filter(({ status }) => isActive(status))
    .map(({ id }) => id)
    .join(",")
  useEffect(() => {
    const ids = active === "" ? [] : active.split(",").map(Number)
    const closers = ids.map((id) => follow(id, (update) => applyUpdate(queryClient, update)))
    return () => {
      for (const close of closers) close()
    }
  }, [active, queryClient])
}

/** The browser reconnects by itself, unless the server answered with an error: then we reconnect. */
function follow(id: number, onUpdate: (update: StudyUpdate) => void): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  function connect() {
    source = new EventSource(`/api/v1/studies/${id}/events`)
    source.addEventListener("study", (message: MessageEvent<string>) => {
      const update = JSON.parse(message.data) as StudyUpdate
      onUpdate(update)
      if (!isActive(update.status)) source?.close() // else the browser would ask again
    })
    source.onerror = () => {
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(connect, RETRY_MILLISECONDS)
    }
  }
  connect()
  return () => {
    source?.close()
    if (timer) clearTimeout(timer)
  }
}
