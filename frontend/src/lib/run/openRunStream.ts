/**
 * The live stream of a run. The browser's EventSource reconnects by itself and sends its position; when it gives up (the
 * server answered with an error) a new one is opened from the last event seen. Bursts are handed over together.
 */

import type { Run as WireRun } from "@/api/generated/types.gen"
import { decodeRun, EventKind, type Rewind, type RunEvent } from "@/api/types"
import type { StreamEvent } from "@/lib/run/runView"

const BATCH_MILLISECONDS = 120
const RETRY_MILLISECONDS = 2000

export interface RunStream {
  run: number
  /** The service's cursor: the stream continues after it. Null for all events. */
  after: string | null
  onEvents: (events: StreamEvent[]) => void
  onConnection: (connected: boolean) => void
}

/** Opens the stream; the answer closes it. */
export function openRunStream({ run, after, onEvents, onConnection }: RunStream): () => void {
  let source: EventSource | null = null
  let position = after
  let waiting: StreamEvent[] = []
  let flushTimer: ReturnType<typeof setTimeout> | null = null
  let retryTimer: ReturnType<typeof setTimeout> | null = null

  function flush() {
    flushTimer = null
    const events = waiting
    waiting = []
    onEvents(events)
  }

  function hand(event: StreamEvent) {
    waiting.push(event)
    flushTimer ??= setTimeout(flush, BATCH_MILLISECONDS)
  }

  function connect() {
    const query = position ? `?after=${encodeURIComponent(position)}` : ""
    source = new EventSource(`/api/v1/runs/${run}/events${query}`)
    source.onopen = () => onConnection(true)
    for (const kind of Object.values(EventKind)) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        if (message.lastEventId) position = message.lastEventId
        hand(JSON.parse(message.data) as RunEvent)
      })
    }
    source.addEventListener("rewind", (message: MessageEvent<string>) => {
      hand({ kind: "rewind", ...(JSON.parse(message.data) as Rewind) })
    })
    source.addEventListener("status", (message: MessageEvent<string>) => {
      hand({ kind: "status", run: decodeRun(JSON.parse(message.data) as WireRun) })
    })
    source.onerror = () => {
      onConnection(false)
      if (source?.readyState !== EventSource.CLOSED) return
      retryTimer = setTimeout(connect, RETRY_MILLISECONDS)
    }
  }

  connect()
  return () => {
    source?.close()
    if (flushTimer) clearTimeout(flushTimer)
    if (retryTimer) clearTimeout(retryTimer)
  }
}
