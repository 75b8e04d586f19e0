import { useEffect } from "react"
import { isActive } from "@/api/types"
import type { Message, Subject } from "@/lib/live/hub"
import { follow } from "@/lib/live/live"

interface Followed {
  id: number
  status: string
}

/** Follows those that are still active. `hear` and `positionOf` must stay the same functions. */
export function useStream(
  kind: Subject["kind"],
  things: readonly Followed[],
  positionOf: (id: number) => string | null,
  hear: (id: number, message: Message) => void,
): void {
  const active = things
    .filter(({ status }) => isActive(status))
    .map(({ id }) => id)
    .join(",")
  useEffect(() => {
    const ids = active === "" ? [] : active.split(",").map(Number)
    const closers = ids.map((id) =>
      follow(
        { kind, id, after: positionOf(id) },
        { onMessage: (message) => hear(id, message), onConnection: () => {} },
      ),
    )
    return () => {
      for (const close of closers) close()
    }
  }, [kind, active, positionOf, hear])
}
