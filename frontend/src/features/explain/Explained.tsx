import { useMemo, useState } from "react"
import type { Explanation } from "@/api/types"
import { CoordinatesPanel } from "@/features/explain/CoordinatesPanel"
import { ImportancePanel } from "@/features/explain/ImportancePanel"
import { NoisePanel } from "@/features/explain/NoisePanel"
import { ValuesPanel } from "@/features/explain/ValuesPanel"
import { OUTCOMES, type OutcomeName, outcomeAxis, parameterAxis } from "@/lib/explain"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { Empty, Failure, Loading } from "@/ui/States"

interface ExplainedProps {
  explanation: Explanation
  /** Why there may be nothing to explain. */
  nothing: string
}

/** What hyper-parameters were and did, in one run or in several pooled. */
export function Explained({ explanation, nothing }: ExplainedProps) {
  const [name, setName] = useState<OutcomeName>("progress")
  const { hyperparams, spans } = explanation
  const parameters = useMemo(() => hyperparams.map(({ tuned }) => parameterAxis(tuned)), [hyperparams])
  const outcome = useMemo(() => outcomeAxis(name, spans), [name, spans])
  if (spans.length === 0) {
    return (
      <Panel>
        <Empty title="Nobody is born yet">Values appear when training begins.</Empty>
      </Panel>
    )
  }
  if (parameters.length === 0) {
    return (
      <>
        <Panel title="Hyper-parameters">
          <Empty title="Nothing is tuned">{nothing}</Empty>
        </Panel>
        <NoisePanel noise={explanation.noise} />
      </>
    )
  }
  return (
    <>
      <ImportancePanel explanation={explanation} />
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-[13px] text-ink-faint">Outcome</span>
        <Segmented label="Outcome" onChange={setName} options={OUTCOMES} value={name} />
      </div>
      <CoordinatesPanel outcome={outcome} parameters={parameters} spans={spans} />
      <ValuesPanel explanation={explanation} name={name} outcome={outcome} parameters={parameters} />
      <NoisePanel noise={explanation.noise} />
    </>
  )
}

interface ExplanationStateProps {
  query: { error: unknown; isPending: boolean; refetch: () => unknown }
}

/** Until there is an explanation. */
export function ExplanationState({ query }: ExplanationStateProps) {
  return (
    <Panel>
      {query.isPending ? (
        <Loading label="Loading the hyper-parameters" lines={8} />
      ) : (
        <Failure
          error={query.error}
          onRetry={() => void query.refetch()}
          title="The hyper-parameters could not be loaded"
        />
      )}
    </Panel>
  )
}
