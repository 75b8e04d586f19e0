/** What the card of an exported policy says, in words. */

import type { PolicyCard } from "@/api/types"
import { decodeNumber } from "@/lib/decode"

export const HOW_IT_ACTS: Record<PolicyCard["distribution"], string> = {
  point: "always the same action for an observation",
  normal: "the mean of a normal distribution, or a draw",
  categorical: "the likeliest action, or a draw",
  greedy: "the action of the highest value",
  factored: "the likeliest of each choice, or a draw",
}

export interface ShownReturn {
  mean: number
  low: number | null
  high: number | null
  episodes: number
}

export function shownReturn(wire: PolicyCard["provenance"]["final"]): ShownReturn | null {
  if (wire === null) return null
  const number = (value: typeof wire.low) => (value === null ? null : decodeNumber(value))
  return {
    mean: decodeNumber(wire.mean),
    low: number(wire.low),
    high: number(wire.high),
    episodes: wire.episodes,
  }
}

export function describeObservation({ shape, dtype, parts }: PolicyCard["observation"]): string {
  if (parts.length > 0) {
    const names = parts.map(({ path }) => path.join(".") || "all").join(", ")
    return `${names}: ${shape.join(" × ")} numbers together`
  }
  return `${shape.join(" × ") || "1"} numbers, ${dtype}`
}

export function describeAction({ kind, n, start, low, high, dtype, counts }: PolicyCard["action"]): string {
  if (kind === "multi_discrete") return `${counts.length} choices, of ${counts.join(", ")} values`
  if (kind === "discrete") return `one of ${n} actions${start ? `, from ${start} on` : ""}`
  const [lowest, highest] = [Math.min(...low), Math.max(...high)]
  return `${low.length} number${low.length === 1 ? "" : "s"} from ${lowest} to ${highest}, ${dtype}`
}

export function loadingSnippet(card: PolicyCard, file: string): string {
  if (card.observation.parts.length > 0) {
    return `from phylon import Policy

policy = Policy.load("${file}")
action, _ = policy.predict(observation)  # as the environment gives it, or a batch`
  }
  return `from phylon import Policy

policy = Policy.load("${file}")
action, _ = policy.predict(observation)  # shape (${card.observation.shape.join(", ")}${
    card.observation.shape.length === 1 ? "," : ""
  }), or a batch`
}

export function playingSnippet(run: number): string {
  return `phylon policy ${run} --out my-policy --onnx
phylon play ${run} --episodes 100 --film film.mp4`
}
