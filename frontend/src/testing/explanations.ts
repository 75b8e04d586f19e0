/** Explanations as the API answers them. */

import type { Explanation, SpanOutcome } from "@/api/types"

export function spanOutcome(change: Partial<SpanOutcome> = {}): SpanOutcome {
  return {
    run_id: 7,
    span: 0,
    member: 0,
    start_step: 0,
    end_step: 4000,
    values: { discount: 0.95, policy_learning_rate: 1e-3 },
    evaluations: 4,
    last_return: -150,
    gain: null,
    standing: 0.5,
    progress: 0.5,
    ...change,
  }
}

/** Two hyper-parameters, of which the second matters and lies at its bound. */
export function explanation(change: Partial<Explanation> = {}): Explanation {
  return {
    run_ids: [7],
    hyperparams: [
      {
        tuned: {
          name: "policy_learning_rate",
          scale: "log",
          low: 1e-5,
          high: 1e-3,
          names: null,
          read: "training",
        },
        importance: { value: 0.42, low: 0.2, high: 0.6 },
        levels: [
          { low: 1e-5, high: 1e-4, spans: 8, progress: 0.3 },
          { low: 2e-4, high: 1e-3, spans: 16, progress: 0.6 },
        ],
        at_low: 0.05,
        at_high: 0.62,
        bound: "high",
      },
      {
        tuned: { name: "discount", scale: "linear", low: 0.9, high: 1, names: null, read: "training" },
        importance: { value: -0.02, low: -0.2, high: 0.1 },
        levels: [{ low: 0.9, high: 1, spans: 24, progress: 0.5 }],
        at_low: 0,
        at_high: 0,
        bound: null,
      },
    ],
    spans: [
      spanOutcome(),
      spanOutcome({
        span: 1,
        member: 1,
        progress: 0.9,
        values: { discount: 0.99, policy_learning_rate: 1e-4 },
      }),
      spanOutcome({
        span: 2,
        member: 2,
        progress: 0.2,
        values: { discount: 0.91, policy_learning_rate: 2e-5 },
      }),
    ],
    observed: 24,
    needed: 20,
    explained: { value: 0.4, low: 0.1, high: 0.6 },
    unit: "span",
    noise: {
      copies: 5,
      known: 4,
      donor_again: 0.61,
      ahead_again: 0.9,
      chance: 0.25,
      donors: [],
    },
    ...change,
  }
}
