import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import "@/api/errors"
import { createExperiment } from "@/api/generated/sdk.gen"
import { notify, notifyFailure } from "@/ui/Toasts"

/** Submits a spec and goes to the new experiment's page. */
export function useCreateExperiment() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (yaml: string) => (await createExperiment({ body: { yaml }, throwOnError: true })).data,
    onSuccess: async (experiment) => {
      notify({
        tone: "good",
        title: `${experiment.name} is queued`,
        detail: "It starts as soon as a worker is free.",
      })
      void queryClient.invalidateQueries({ queryKey: ["experiments", "list"] })
      await navigate({ to: "/experiments/$id", params: { id: experiment.id } })
    },
    onError: (error) => notifyFailure("The experiment could not be started", error),
  })
}
