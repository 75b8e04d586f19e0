import type { ReactNode } from "react"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

interface PanelListProps<Thing> {
  /** What they are together, e.g. "evaluations". */
  name: string
  /** Undefined before they are there. */
  things: readonly Thing[] | undefined
  failure: unknown
  onRetry: () => void
  empty: { title: string; advice: string }
  children: (thing: Thing) => ReactNode
}

/** A page of panels, one for each thing, or why there is none. */
export function PanelList<Thing extends { id: number }>(props: PanelListProps<Thing>) {
  const { name, things, failure, onRetry, empty, children } = props
  if (things === undefined) {
    return (
      <Panel>
        {failure ? (
          <Failure error={failure} onRetry={onRetry} title={`The ${name} could not be loaded`} />
        ) : (
          <Loading label={`Loading ${name}`} />
        )}
      </Panel>
    )
  }
  if (things.length === 0) {
    return (
      <Panel>
        <Empty icon="info" title={empty.title}>
          {empty.advice}
        </Empty>
      </Panel>
    )
  }
  return things.map((thing) => (
    <Panel className="pt-4" key={thing.id}>
      {children(thing)}
    </Panel>
  ))
}
