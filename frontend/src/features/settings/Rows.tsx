import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { IconName } from "@/ui/Icon"
import { Empty, Failure, Loading } from "@/ui/States"

interface RowsProps<T> {
  query: Pick<UseQueryResult<T[]>, "data" | "error" | "isPending" | "refetch">
  /** Of what, in the plural: "tokens". */
  noun: string
  icon: IconName
  empty: string
  hint?: ReactNode
  children: (item: T) => ReactNode
}

/** A list of settings with its states; each child is a list item. */
export function Rows<T>({ query, noun, icon, empty, hint, children }: RowsProps<T>) {
  if (query.isPending) return <Loading label={`Loading ${noun}`} />
  if (!query.data)
    return (
      <Failure
        error={query.error}
        onRetry={() => query.refetch()}
        title={`The ${noun} could not be loaded`}
      />
    )
  if (query.data.length === 0)
    return (
      <Empty icon={icon} title={empty}>
        {hint}
      </Empty>
    )
  return (
    <ul aria-label={noun} className="divide-y divide-line border-line border-t">
      {query.data.map(children)}
    </ul>
  )
}

/** One line of such a list: what it is on the left, what can be done with it on the right. */
export const ROW = "flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5"
