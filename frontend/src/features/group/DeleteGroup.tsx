import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { deleteGroup } from "@/api/generated/sdk.gen"
import type { Group } from "@/api/types"
import { useWhyNotChange } from "@/features/account/useMe"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

export function DeleteGroup({ group }: { group: Group }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteGroup({ path: { id: group.id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `${group.name} is deleted` })
      await navigate({ to: "/experiments" })
      queryClient.removeQueries({ queryKey: ["groups", group.id] })
      void queryClient.invalidateQueries({ queryKey: ["groups", "list"] })
      void queryClient.invalidateQueries({ queryKey: ["experiments"] })
    },
    onError: (error) => notifyFailure("The group could not be deleted", error),
  })
  return (
    <ConfirmDialog
      confirm="Delete"
      onConfirm={() => remove.mutate()}
      title={`Delete ${group.name}?`}
      trigger={
        <Button busy={remove.isPending} icon="trash" reason={useWhyNotChange(group)} variant="ghost">
          Delete
        </Button>
      }
    >
      {`Its ${group.size} experiments are removed for good, with their curves, lineage, logs and checkpoints.`}
    </ConfirmDialog>
  )
}
