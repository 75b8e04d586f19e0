/** One cursor for several charts: a position on the shared x-axis that changes without rendering the page. */

export interface Cursor {
  read: () => number | null
  move: (position: number | null) => void
  subscribe: (listener: () => void) => () => void
}

export function createCursor(): Cursor {
  let current: number | null = null
  const listeners = new Set<() => void>()
  return {
    read: () => current,
    move: (position) => {
      if (position === current) return
      current = position
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The same cursor for a chart whose axis has other units: what moves in one moves in both. */
export function mapCursor(
  cursor: Cursor,
  there: (position: number) => number,
  back: (position: number) => number,
): Cursor {
  const mapped = (position: number | null, map: (position: number) => number) =>
    position === null ? null : map(position)
  return {
    read: () => mapped(cursor.read(), there),
    move: (position) => cursor.move(mapped(position, back)),
    subscribe: cursor.subscribe,
  }
}
