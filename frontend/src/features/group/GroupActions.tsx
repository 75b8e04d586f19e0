import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { deleteGroup, stopGroup } from "@/api/generated/sdk.gen"
import { decodeGroup, type Group } from "@/api/types"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

export function StopGroupButton({ group }: { group: Group }) {
  const queryClient = useQueryClient()
  const stop = useMutation({
    mutationFn: async () =>
      decodeGroup((await stopGroup({ path: { id: group.id }, throwOnError: true })).data),
    onSuccess: (stopped) => {
      queryClient.setQueryData(["groups", group.id], stopped)
      void queryClient.invalidateQueries({ queryKey: ["experiments"] })
      notify({
        tone: "info",
        title: "Stopping",
        detail: "Runs end at their next segment, with a checkpoint.",
      })
    },
    onError: (error) => notifyFailure("The group could not be stopped", error),
  })
  return (
    <ConfirmDialog
      confirm="Stop all"
      onConfirm={() => stop.mutate()}
      title={`Stop all of ${group.name}?`}
      trigger={
        <Button busy={stop.isPending} icon="stop" variant="danger">
          Stop all
        </Button>
      }
    >
      Queued experiments leave the queue; running ones end at their next segment and write a checkpoint. Their
      results are kept. A stopped group does not resume by itself.
    </ConfirmDialog>
  )
}

export function DeleteGroupButton({ group }: { group: Group }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteGroup({ path: { id: group.id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `${group.name} is deleted` })
      await navigate({ to: "/" })
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
        <Button busy={remove.isPending} icon="trash" variant="ghost">
          Delete
        </Button>
      }
    >
      {`Its ${group.size} experiments are removed for good, with their curves, lineage, logs and checkpoints.`}
    </ConfirmDialog>
  )
}
