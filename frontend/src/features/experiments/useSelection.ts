/** Which experiments are selected; they stay so while one scrolls, sorts and asks for others. */

import { useCallback, useMemo, useState } from "react"

export interface Selection {
  ids: ReadonlySet<number>
  toggle: (id: number) => void
  add: (ids: readonly number[]) => void
  clear: () => void
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const toggle = useCallback(
    (id: number) =>
      setIds((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const add = useCallback((more: readonly number[]) => setIds((old) => new Set([...old, ...more])), [])
  const clear = useCallback(() => setIds(new Set()), [])
  return useMemo(() => ({ ids, toggle, add, clear }), [ids, toggle, add, clear])
}
