/**
 * One event stream for all jobs that anybody follows: browsers allow six connections to a host over all of
 * their tabs, so a stream for each would leave the seventh page waiting.
 *
 * Who comes later than others gets what was said since its own position from what the hub remembers. Where that does not
 * reach back far enough, events are missing; their numbers have no gaps, so the reducer notices.
 */

import type { JobMessage } from "@/api/generated/types.gen"
import { EventKind } from "@/api/types"

type JobKind = JobMessage["kind"]

export interface Subject {
  kind: JobKind
  id: number
  /** The service's cursor: the stream continues after it. Null for all events. */
  after: string | null
}

export interface Message {
  /** `rewind`, `status`, `gone`, or the kind of an event. */
  event: string
  position: string | null
  data: unknown
}

export interface Listener {
  onMessage: (message: Message) => void
  onConnection: (connected: boolean) => void
}

export interface Hub {
  /** The answer ends it. */
  follow: (subject: Subject, listener: Listener) => () => void
}

interface Topic {
  kind: Subject["kind"]
  id: number
  position: string | null
  /** Where the first of the remembered messages goes on. */
  rememberedFrom: string | null
  remembered: Message[]
  listeners: Set<Listener>
}

interface Wire {
  kind: Subject["kind"]
  id: number
  position: string | null
  message: unknown
}

const GATHER_MILLISECONDS = 20
const RETRY_MILLISECONDS = 2000
const REMEMBERED = 300
const EVENTS = [
  ...Object.values(EventKind),
  ...["machine", "measured", "progress"],
  ...["loaded", "played", "not_filmed"],
  ...["checked", "rewind", "status", "gone"],
]

/** What the address calls them, in the order in which the service reads their positions. */
const PARAMETERS: Record<JobKind, string> = {
  run: "runs",
  study: "studies",
  evaluation: "evaluations",
  environment_check: "environment_checks",
}
const ORDER = Object.keys(PARAMETERS)

export function createHub(): Hub {
  const topics = new Map<string, Topic>()
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let connected = false

  function setConnected(now: boolean) {
    connected = now
    for (const topic of topics.values()) for (const { onConnection } of topic.listeners) onConnection(now)
  }

  function reopen(milliseconds: number) {
    if (timer) clearTimeout(timer)
    timer = setTimeout(open, milliseconds)
  }

  function open() {
    source?.close()
    source = null
    const followed = [...topics.values()].sort(
      (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.id - b.id,
    )
    if (followed.length === 0) return
    const current = new EventSource(addressOf(followed))
    source = current
    current.onopen = () => setConnected(true)
    for (const event of EVENTS) {
      current.addEventListener(event, (said: MessageEvent<string>) => {
        const { kind, id, position, message } = JSON.parse(said.data) as Wire
        hear(kind, id, { event, position, data: message })
      })
    }
    current.onerror = () => {
      setConnected(false)
      // The browser tries again by itself, unless the server answered with an error.
      if (current.readyState === EventSource.CLOSED) reopen(RETRY_MILLISECONDS)
    }
  }

  function hear(kind: string, id: number, message: Message) {
    const topic = topics.get(`${kind} ${id}`)
    if (!topic) return
    topic.position = message.position ?? topic.position
    topic.remembered.push(message)
    if (topic.remembered.length > REMEMBERED) {
      const forgotten = topic.remembered.shift()
      topic.rememberedFrom = forgotten?.position ?? topic.rememberedFrom
    }
    for (const { onMessage } of topic.listeners) onMessage(message)
  }

  function follow({ kind, id, after }: Subject, listener: Listener): () => void {
    const key = `${kind} ${id}`
    let topic = topics.get(key)
    if (!topic) {
      topic = { kind, id, position: after, rememberedFrom: after, remembered: [], listeners: new Set() }
      topics.set(key, topic)
      reopen(GATHER_MILLISECONDS)
    } else {
      for (const message of since(topic, after)) listener.onMessage(message)
      listener.onConnection(connected)
    }
    const { listeners } = topic
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || topics.get(key)?.listeners !== listeners) return
      topics.delete(key)
      reopen(GATHER_MILLISECONDS)
    }
  }

  return { follow }
}

function addressOf(followed: readonly Topic[]): string {
  const query = new URLSearchParams()
  for (const [kind, name] of Object.entries(PARAMETERS)) {
    const ids = followed.filter((topic) => topic.kind === kind).map(({ id }) => id)
    if (ids.length > 0) query.set(name, ids.join(","))
  }
  if (followed.some(({ position }) => position !== null))
    query.set("after", followed.map(({ position }) => position ?? "").join(","))
  return `/api/v1/events?${query}`
}

/** What was said after a position; nothing where the hub does not know it, which may be newer than all that it heard. */
function since({ rememberedFrom, remembered }: Topic, position: string | null): Message[] {
  const found = remembered.findLastIndex((message) => message.position === position && position !== null)
  if (found >= 0) return remembered.slice(found + 1)
  return position === rememberedFrom ? remembered : []
}
