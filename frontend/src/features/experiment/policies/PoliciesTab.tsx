import { useQuery } from "@tanstack/react-query"
import { artifactsQuery, policyQuery } from "@/api/queries"
import { type Artifact, isActive, type Run } from "@/api/types"
import { EvaluatePanel } from "@/features/evaluations/EvaluatePanel"
import { PolicyAncestry } from "@/features/experiment/policies/PolicyAncestry"
import { PolicyCardList } from "@/features/experiment/policies/PolicyCardList"
import { UsePolicy } from "@/features/experiment/policies/UsePolicy"
import { formatBytes } from "@/lib/format"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

/** The winner's policy: what it is, where it comes from, and how to use it elsewhere. */
export function PoliciesTab({ run }: { run: Run }) {
  const artifacts = useQuery(artifactsQuery(run.id, isActive(run.status)))
  const stored = artifacts.data?.find(({ kind }) => kind === "policy")
  const card = useQuery({ ...policyQuery(run.id, stored?.id ?? 0), enabled: stored !== undefined })
  const failed = [artifacts, card].find(({ isError, data }) => isError && !data)
  return (
    <div className="space-y-5">
      <Panel
        actions={
          stored && (
            <a
              className={buttonStyle("primary", "small")}
              download={`run-${run.id}-policy.zip`}
              href={`/api/v1/artifacts/${stored.id}/content`}
            >
              <Icon name="download" />
              Download, {formatBytes(stored.bytes)}
            </a>
          )
        }
        hint="The best member at the end of the run: weights and a card, no code"
        title="Policy"
      >
        {failed ? (
          <Failure
            error={failed.error}
            onRetry={() => failed.refetch()}
            title="The policy could not be loaded"
          />
        ) : artifacts.isPending || (stored && card.isPending) ? (
          <Loading label="Loading the policy" />
        ) : (
          !stored && <NoPolicy run={run} />
        )}
        {card.data && <PolicyCardList card={card.data} />}
      </Panel>
      {artifacts.data && (
        <EvaluatePanel
          run={run.id}
          trained={card.data?.environment}
          whyNothing={whyNothing(artifacts.data)}
        />
      )}
      {card.data && <UsePolicy card={card.data} run={run.id} />}
      {card.data?.provenance.ancestry && <PolicyAncestry ancestry={card.data.provenance.ancestry} />}
    </div>
  )
}

/** A checkpoint serves as well: the worker makes the policy of it. */
function whyNothing(artifacts: readonly Artifact[]): string | null {
  return artifacts.some(({ kind }) => kind === "policy" || kind === "checkpoint")
    ? null
    : "This run has left neither a policy nor a checkpoint that could be evaluated."
}

function NoPolicy({ run }: { run: Run }) {
  return (
    <Empty icon="download" title={isActive(run.status) ? "No policy yet" : "No policy of this run"}>
      {isActive(run.status) ? (
        "The best member's policy is written when the run finishes."
      ) : (
        <>
          A run leaves one when it finishes. Of any checkpoint,{" "}
          <code className="whitespace-nowrap">phylon policy {run.id} --out my-policy</code> makes one.
        </>
      )}
    </Empty>
  )
}
