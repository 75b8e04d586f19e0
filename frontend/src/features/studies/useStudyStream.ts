import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import type { MachineKnown, Measured, StudySummary } from "@/api/generated/types.gen"
import { isActive, type Study } from "@/api/types"

const RETRY_MILLISECONDS = 2000

type Change = (study: Study) => Study

/** What each message of a study's stream does to the study that the page shows. */
const CHANGES: Record<string, (data: string) => Change> = {
  machine: (data) => {
    const { machine } = JSON.parse(data) as MachineKnown
    // Cells of one study come from one machine: those of another are void.
    return (study) => ({ ...study, machine, measurements: study.machine ? [] : study.measurements })
  },
  measured: (data) => {
    const { measurement } = JSON.parse(data) as Measured
    return (study) => ({ ...study, measurements: [...study.measurements, measurement] })
  },
  status: (data) => {
    const { stream: _, ...summary } = JSON.parse(data) as StudySummary
    return (study) => ({ ...study, ...summary })
  },
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
    const closers = ids.map((id) => follow(id, queryClient))
    return () => {
      for (const close of closers) close()
    }
  }, [active, queryClient])
}

/** The browser reconnects by itself, unless the server answered with an error: then we reconnect. */
function follow(id: number, queryClient: QueryClient): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | null = null

  function apply(change: Change, position: string) {
    queryClient.setQueryData<Study>(["studies", id], (known) =>
      known ? { ...change(known), stream: position || known.stream } : known,
    )
  }

  function connect() {
    const known = queryClient.getQueryData<Study>(["studies", id])
    const query = known?.stream ? `?after=${encodeURIComponent(known.stream)}` : ""
    source = new EventSource(`/api/v1/studies/${id}/events${query}`)
    for (const [kind, read] of Object.entries(CHANGES)) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        apply(read(message.data), kind === "status" ? "" : message.lastEventId)
        const study = queryClient.getQueryData<Study>(["studies", id])
        if (study && !isActive(study.status)) source?.close() // else the browser would ask again
      })
    }
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
