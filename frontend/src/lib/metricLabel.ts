/** Names of metrics as people say them. */

const LABELS: Record<string, string> = {
  "evaluation/return": "Return",
  "evaluation/return_stderr": "Return, standard error",
  "evaluation/length": "Episode length",
  "training/return": "Training return",
  "population/mean_policy_return": "Return of the mean policy",
  "population/mean_policy_return_stderr": "Return of the mean policy, standard error",
  "training/q_value": "Q value",
  "speed/env_steps_per_second": "Environment steps/s",
  "speed/updates_per_second": "Updates/s",
}

/** The word for the largest value: only of a return it is surely the best. */
export function topLabel(name: string): string {
  return name.endsWith("/return") ? "best" : "highest"
}

export function metricLabel(name: string): string {
  const known = LABELS[name]
  if (known) return known
  const [group, rest = name] = name.split("/")
  const words = rest.replaceAll("_", " ")
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  return group === "time" ? `Time: ${words}` : label
}
