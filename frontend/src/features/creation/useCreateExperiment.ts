import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import "@/api/errors"
import { createExperiment, createGroup } from "@/api/generated/sdk.gen"
import { notify, notifyFailure } from "@/ui/Toasts"

export interface Submission {
  yaml: string
  /** The text describes several experiments, which are submitted together. */
  group: boolean
}

async function submit({ yaml, group }: Submission) {
  const request = { body: { yaml }, throwOnError: true } as const
  const { data } = group ? await createGroup(request) : await createExperiment(request)
  return { id: data.id, name: data.name, group }
}

/** Submits a spec and goes to the page of the new experiment or group. */
export function useCreateExperiment() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: submit,
    onSuccess: async ({ id, name, group }) => {
      notify({
        tone: "good",
        title: `${name} is queued`,
        detail: group
          ? "Its experiments start one after the other as workers are free."
          : "It starts as soon as a worker is free.",
      })
      void queryClient.invalidateQueries({ queryKey: ["experiments", "list"] })
      void queryClient.invalidateQueries({ queryKey: ["groups", "list"] })
      await navigate({ to: group ? "/groups/$id" : "/experiments/$id", params: { id } })
    },
    onError: (error) => notifyFailure("The experiment could not be started", error),
  })
}
