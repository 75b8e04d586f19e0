import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query"
import {
  extendExperiment,
  extendGroup,
  extendRun,
  pauseEnvironmentCheck,
  pauseEvaluation,
  pauseExperiment,
  pauseGroup,
  pauseRun,
  pauseStudy,
  resumeEnvironmentCheck,
  resumeEvaluation,
  resumeExperiment,
  resumeGroup,
  resumeRun,
  resumeStudy,
  retryEnvironmentCheck,
  retryEvaluation,
  retryExperiment,
  retryGroup,
  retryRun,
  retryStudy,
  stopEnvironmentCheck,
  stopEvaluation,
  stopExperiment,
  stopGroup,
  stopRun,
  stopStudy,
} from "@/api/generated/sdk.gen"
import { decodeExperiment, decodeGroup, decodeRun, type Run } from "@/api/types"
import type { Verb } from "@/lib/lifecycle"
import { applyEvent, type RunView } from "@/lib/run/runView"

/** What a verb is for. */
export interface Target {
  kind: "run" | "experiment" | "group" | "study" | "evaluation" | "environment_check"
  id: number
  name: string
}

type PlainVerb = Exclude<Verb, "extend">
export type Limits = Record<string, number | null>

const CALLS = {
  run: { stop: stopRun, pause: pauseRun, resume: resumeRun, retry: retryRun },
  experiment: {
    stop: stopExperiment,
    pause: pauseExperiment,
    resume: resumeExperiment,
    retry: retryExperiment,
  },
  group: { stop: stopGroup, pause: pauseGroup, resume: resumeGroup, retry: retryGroup },
  study: { stop: stopStudy, pause: pauseStudy, resume: resumeStudy, retry: retryStudy },
  evaluation: {
    stop: stopEvaluation,
    pause: pauseEvaluation,
    resume: resumeEvaluation,
    retry: retryEvaluation,
  },
  environment_check: {
    stop: stopEnvironmentCheck,
    pause: pauseEnvironmentCheck,
    resume: resumeEnvironmentCheck,
    retry: retryEnvironmentCheck,
  },
} as const satisfies Record<Target["kind"], Record<PlainVerb, unknown>>

/** A run that changed, for every page that shows it. */
function keepRun(queryClient: QueryClient, run: Run) {
  queryClient.setQueryData<RunView>(
    ["runs", run.id, "view"],
    (view) => view && applyEvent(view, { kind: "status", run }),
  )
  void queryClient.invalidateQueries({ queryKey: ["experiments", run.experiment_id] })
}

async function send(queryClient: QueryClient, { kind, id }: Target, verb: Verb, limits: Limits) {
  const options = { path: { id }, throwOnError: true } as const
  const more = { ...options, body: { budget: limits } }
  switch (kind) {
    case "run": {
      const { data } = verb === "extend" ? await extendRun(more) : await CALLS.run[verb](options)
      keepRun(queryClient, decodeRun(data))
      break
    }
    case "experiment": {
      const call = verb === "extend" ? extendExperiment(more) : CALLS.experiment[verb](options)
      const changed = decodeExperiment((await call).data)
      queryClient.setQueryData(["experiments", id], changed)
      for (const run of changed.runs) keepRun(queryClient, run)
      break
    }
    case "group": {
      const call = verb === "extend" ? extendGroup(more) : CALLS.group[verb](options)
      queryClient.setQueryData(["groups", id], decodeGroup((await call).data))
      void queryClient.invalidateQueries({ queryKey: ["experiments"] })
      break
    }
    case "study": {
      if (verb === "extend") throw new Error("A study measures all its cells; there is nothing to extend.")
      queryClient.setQueryData(["studies", id], (await CALLS.study[verb](options)).data)
      void queryClient.invalidateQueries({ queryKey: ["studies", "list"] })
      break
    }
    case "evaluation": {
      if (verb === "extend") throw new Error("An evaluation plays what was asked for; ask for another one.")
      await CALLS.evaluation[verb](options)
      void queryClient.invalidateQueries({ queryKey: ["evaluations"] })
      break
    }
    case "environment_check": {
      if (verb === "extend") throw new Error("A check tries everything; ask for another one.")
      await CALLS.environment_check[verb](options)
      void queryClient.invalidateQueries({ queryKey: ["environment-checks"] })
    }
  }
  void queryClient.invalidateQueries({ queryKey: ["queue"] })
}

/** Does something with work, and lets every page know. */
export function useVerb(target: Target) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ verb, limits = {} }: { verb: Verb; limits?: Limits }) =>
      send(queryClient, target, verb, limits),
  })
}
