/** Metrics by the names that people use. */

import type { MetricName } from "@/api/types"

/** Complete by its type: a metric that the service names gets a label here. Those of algorithms are spelt out below. */
const LABELS: Record<MetricName, string> = {
  "evaluation/return": "Return",
  "evaluation/return_stderr": "Return, standard error",
  "evaluation/length": "Episode length",
  "evaluation/fitness": "Fitness",
  "evaluation/fitness_stderr": "Fitness, standard error",
  "evaluation/test_return": "Test return",
  "evaluation/test_return_stderr": "Test return, standard error",
  "final/return": "Final return",
  "final/return_stderr": "Final return, standard error",
  "final/return_low": "Final return, lower end of the interval",
  "final/return_high": "Final return, upper end of the interval",
  "training/return": "Training return",
  "population/mean_policy_return": "Return of the mean policy",
  "population/mean_policy_return_stderr": "Return of the mean policy, standard error",
  "population/final_mean_policy_return": "Final return of the mean policy",
  "population/final_mean_policy_return_stderr": "Final return of the mean policy, standard error",
  "population/final_mean_policy_return_low": "Final return of the mean policy, lower end of the interval",
  "population/final_mean_policy_return_high": "Final return of the mean policy, upper end of the interval",
  "population/weight_deviation": "Standard deviation of weights",
  "speed/env_steps_per_second": "Environment steps/s",
  "speed/updates_per_second": "Updates/s",
}

/** The word for the largest value: only of a return it is surely the best. */
export function topLabel(name: string): string {
  return name.endsWith("/return") ? "best" : "highest"
}

export function metricLabel(name: string): string {
  const known = LABELS[name as MetricName] as string | undefined
  if (known) return known
  const [group, rest = name] = name.split("/")
  const words = rest.replaceAll("_", " ")
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  return group === "time" ? `Time: ${words}` : label
}
