/** The shared worker: one hub, and with it one connection, for all pages of the browser. */

import { createHub } from "@/lib/live/hub"
import type { FromWorker, ToWorker } from "@/lib/live/protocol"

const hub = createHub()

function serve(port: MessagePort) {
  const closers = new Map<number, () => void>()
  const say = (said: FromWorker) => port.postMessage(said)
  const leave = (number: number) => {
    closers.get(number)?.()
    closers.delete(number)
  }
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "bye") for (const number of [...closers.keys()]) leave(number)
    else if (data.type === "leave") leave(data.number)
    else {
      const { number, subject } = data
      const close = hub.follow(subject, {
        onMessage: (message) => say({ type: "message", number, message }),
        onConnection: (connected) => say({ type: "connection", number, connected }),
      })
      closers.set(number, close)
    }
  }
}

;(globalThis as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = (event) => {
  for (const port of event.ports) serve(port)
}
