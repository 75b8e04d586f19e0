/** The page's way to live events: through the worker that all tabs share, or a connection of its own without one. */

import { createHub, type Hub, type Listener, type Subject } from "@/lib/live/hub"
import type { FromWorker, ToWorker } from "@/lib/live/protocol"

interface Following {
  subject: Subject
  listener: Listener
  /** Ends it where the page had to go on by itself. */
  close?: () => void
}

function createRemoteHub(worker: SharedWorker): Hub {
  const followed = new Map<number, Following>()
  let local: Hub | null = null
  let numbers = 0
  const say = (said: ToWorker) => worker.port.postMessage(said)

  worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const following = followed.get(data.number)
    if (!following) return
    if (data.type === "connection") return following.listener.onConnection(data.connected)
    // Where it stands, should it have to go on by itself.
    following.subject = { ...following.subject, after: data.message.position ?? following.subject.after }
    following.listener.onMessage(data.message)
  }
  // The worker's script could not be loaded.
  worker.onerror = () => {
    const own = createHub()
    local = own
    for (const following of followed.values())
      following.close = own.follow(following.subject, following.listener)
  }
  // A worker does not learn that a page closes; and a page that is shown again goes on where it stood.
  addEventListener("pagehide", () => say({ type: "bye" }))
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return
    for (const [number, { subject }] of followed) say({ type: "follow", number, subject })
  })

  return {
    follow: (subject, listener) => {
      if (local) return local.follow(subject, listener)
      const number = numbers++
      followed.set(number, { subject, listener })
      say({ type: "follow", number, subject })
      return () => {
        followed.get(number)?.close?.()
        followed.delete(number)
        say({ type: "leave", number })
      }
    },
  }
}

let hub: Hub | null = null

function connect(): Hub {
  if (typeof SharedWorker === "undefined") return createHub() // Chrome on Android
  // In one expression: only so does the bundler see that this is a worker's script.
  const worker = new SharedWorker(new URL("./live.worker.ts", import.meta.url), {
    type: "module",
    name: "phylon-live",
  })
  return createRemoteHub(worker)
}

/** Follows a job; the answer ends it. */
export function follow(subject: Subject, listener: Listener): () => void {
  hub ??= connect()
  return hub.follow(subject, listener)
}
