/** The live events of a run. Bursts are handed over together. */

import type { Run as WireRun } from "@/api/generated/types.gen"
import { decodeRun, type Rewind, type RunEvent } from "@/api/types"
import type { Message } from "@/lib/live/hub"
import { follow } from "@/lib/live/live"
import type { StreamEvent } from "@/lib/run/runView"

const BATCH_MILLISECONDS = 120

export interface FollowedRun {
  run: number
  /** The service's cursor: the stream continues after it. Null for all events. */
  after: string | null
  onEvents: (events: StreamEvent[]) => void
  onConnection: (connected: boolean) => void
}

/** The answer ends it. */
export function followRun({ run, after, onEvents, onConnection }: FollowedRun): () => void {
  let waiting: StreamEvent[] = []
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush() {
    timer = null
    const events = waiting
    waiting = []
    onEvents(events)
  }

  function onMessage(message: Message) {
    waiting.push(decode(message))
    timer ??= setTimeout(flush, BATCH_MILLISECONDS)
  }

  const close = follow({ kind: "run", id: run, after }, { onMessage, onConnection })
  return () => {
    close()
    if (timer) clearTimeout(timer)
  }
}

function decode({ event, data }: Message): StreamEvent {
  if (event === "rewind") return { kind: "rewind", ...(data as Rewind) }
  if (event === "status") return { kind: "status", run: decodeRun(data as WireRun) }
  if (event === "gone") return { kind: "gone" }
  return data as RunEvent
}
