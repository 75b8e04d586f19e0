import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { createOnce } from "@/api/createOnce"
import { createExperiment, createGroup } from "@/api/generated/sdk.gen"
import { useSubmission } from "@/features/account/useMe"
import { notify, notifyFailure } from "@/ui/Toasts"

export interface Submission {
  yaml: string
  /** The text describes several experiments, which are submitted together. */
  group: boolean
}

async function submit({ yaml, group }: Submission, project: string | undefined) {
  const { id, name } = await createOnce(async (headers) => {
    const request = { body: { yaml, project }, headers, throwOnError: true } as const
    return (group ? await createGroup(request) : await createExperiment(request)).data
  })
  return { id, name, group }
}

/** Submits a spec and goes to the page of the new experiment or group. */
export function useCreateExperiment() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { project } = useSubmission()
  return useMutation({
    mutationFn: (submission: Submission) => submit(submission, project),
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
