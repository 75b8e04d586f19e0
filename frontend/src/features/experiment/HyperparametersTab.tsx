import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { explanationQuery, pooledExplanationQuery } from "@/api/explanations"
import { type Experiment, isActive, type Run } from "@/api/types"
import { Explained, ExplanationState } from "@/features/explain/Explained"
import { Segmented } from "@/ui/Segmented"

/** What the run's hyper-parameters were and did; with replicates, of all of them together if wanted. */
export function HyperparametersTab({ experiment, run }: { experiment: Experiment; run: Run }) {
  const [pooled, setPooled] = useState(false)
  const active = isActive(run.status)
  const single = useQuery({ ...explanationQuery(run.id, active), enabled: !pooled })
  const all = useQuery({
    ...pooledExplanationQuery({ experiments: [experiment.id] }, active),
    enabled: pooled,
  })
  const query = pooled ? all : single
  const replicates = experiment.runs.length
  return (
    <div className="space-y-5">
      {replicates > 1 && (
        <Segmented
          label="Runs"
          onChange={(next) => setPooled(next === "all")}
          options={[
            { value: "one", label: "This replicate" },
            { value: "all", label: `All ${replicates} replicates` },
          ]}
          value={pooled ? "all" : "one"}
        />
      )}
      {query.data ? (
        <Explained
          explanation={query.data}
          nothing="Every hyper-parameter of this experiment is a fixed number. Give one a distribution in the spec."
        />
      ) : (
        <ExplanationState query={query} />
      )}
    </div>
  )
}
