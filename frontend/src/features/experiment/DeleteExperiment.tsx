import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { deleteExperiment } from "@/api/generated/sdk.gen"
import type { Experiment } from "@/api/types"
import { useWhyNotChange } from "@/features/account/useMe"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

export function DeleteExperiment({ experiment }: { experiment: Experiment }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteExperiment({ path: { id: experiment.id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `${experiment.name} is deleted` })
      await navigate({ to: "/experiments" })
      queryClient.removeQueries({ queryKey: ["experiments", experiment.id] })
      void queryClient.invalidateQueries({ queryKey: ["experiments", "list"] })
    },
    onError: (error) => notifyFailure("The experiment could not be deleted", error),
  })
  return (
    <ConfirmDialog
      confirm="Delete"
      onConfirm={() => remove.mutate()}
      title={`Delete ${experiment.name}?`}
      trigger={
        <Button busy={remove.isPending} icon="trash" reason={useWhyNotChange(experiment)} variant="ghost">
          Delete
        </Button>
      }
    >
      Its curves, lineage, logs and checkpoints are removed for good.
    </ConfirmDialog>
  )
}
