import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import type { Subject } from "@/lib/live/hub"
import { useStream } from "@/lib/live/useStream"

/** Some things happen together, and are asked for once. */
const GATHER_MS = 200
const FROM_NOW_ON = () => null

/** Asks again for all that is known of a kind, as soon as something happens to those of it that are active. */
export function useFreshLists(
  kind: Subject["kind"],
  root: string,
  things: readonly { id: number; status: string }[],
): void {
  const queryClient = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const hear = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void queryClient.invalidateQueries({ queryKey: [root] })
    }, GATHER_MS)
  }, [queryClient, root])
  useEffect(() => () => clearTimeout(timer.current), [])
  useStream(kind, things, FROM_NOW_ON, hear)
}
