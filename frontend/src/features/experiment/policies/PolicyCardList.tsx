import type { ReactNode } from "react"
import type { PolicyCard } from "@/api/types"
import { formatInteger, formatSlot, formatValue, formatWithInterval } from "@/lib/format"
import {
  describeAction,
  describeObservation,
  HOW_IT_ACTS,
  type ShownReturn,
  shownReturn,
} from "@/lib/policies"

/** What the card says, the result first. */
export function PolicyCardList({ card }: { card: PolicyCard }) {
  const { provenance } = card
  const who = provenance.member === null ? "mean of the search" : formatSlot(provenance.member)
  return (
    <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 xl:grid-cols-3" data-testid="policy-card">
      <Entry label="Final return">{describeReturn(shownReturn(provenance.final), "unseen episodes")}</Entry>
      <Entry label="Last return in training">
        {describeReturn(shownReturn(provenance.evaluation), "episodes")}
      </Entry>
      <Entry label="Who">
        {who} at step {formatInteger(provenance.step)}
        {provenance.span !== null && `, span ${provenance.span}`}
      </Entry>
      <Entry label="Environment">{card.environment.id}</Entry>
      <Entry label="Sees">{describeObservation(card.observation)}</Entry>
      <Entry label="Does">{describeAction(card.action)}</Entry>
      <Entry label="Acts">{HOW_IT_ACTS[card.distribution]}</Entry>
      <Entry label="Weights">
        {formatInteger(card.numbers)} numbers, SHA-256{" "}
        <code title={card.weights_sha256}>{card.weights_sha256.slice(0, 12)}</code>
      </Entry>
      <Entry label="Trained with">
        {card.algorithm}, seed {provenance.seed}, Phylon {card.versions.phylon ?? "–"}
      </Entry>
    </dl>
  )
}

function describeReturn(shown: ShownReturn | null, episodes: string): ReactNode {
  if (shown === null) return "–"
  const { mean, low, high } = shown
  const value = low === null || high === null ? formatValue(mean) : formatWithInterval(mean, low, high)
  return (
    <>
      <span className="font-semibold">{value}</span>{" "}
      <span className="text-[13px] text-ink-soft">
        {formatInteger(shown.episodes)} {shown.episodes === 1 ? episodes.slice(0, -1) : episodes}
      </span>
    </>
  )
}

function Entry({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="eyebrow">{label}</dt>
      <dd className="numeric break-words">{children}</dd>
    </div>
  )
}
