import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { deleteExperiment, stopExperiment } from "@/api/generated/sdk.gen"
import { decodeExperiment, type Experiment } from "@/api/types"
import { runViewQuery } from "@/features/experiment/useRunView"
import { applyEvent } from "@/lib/run/runView"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

export function StopButton({ experiment }: { experiment: Experiment }) {
  const queryClient = useQueryClient()
  const stop = useMutation({
    mutationFn: async () => {
      const { data } = await stopExperiment({ path: { id: experiment.id }, throwOnError: true })
      return decodeExperiment(data)
    },
    onSuccess: (stopped) => {
      queryClient.setQueryData(["experiments", experiment.id], stopped)
      for (const run of stopped.runs) {
        queryClient.setQueryData(
          runViewQuery(run.id).queryKey,
          (view) => view && applyEvent(view, { kind: "status", run }),
        )
      }
      notify({
        tone: "info",
        title: "Stopping",
        detail: "Runs end at their next segment, with a checkpoint.",
      })
    },
    onError: (error) => notifyFailure("The experiment could not be stopped", error),
  })
  const stopping = experiment.runs.some(({ status }) => status === "stopping")
  return (
    <ConfirmDialog
      confirm="Stop"
      onConfirm={() => stop.mutate()}
      title={`Stop ${experiment.name}?`}
      trigger={
        <Button busy={stop.isPending} disabled={stopping} icon="stop" variant="danger">
          {stopping ? "Stopping…" : "Stop"}
        </Button>
      }
    >
      Every run of it ends at its next segment and writes a checkpoint. Curves, lineage and checkpoints are
      kept. A stopped experiment does not resume by itself.
    </ConfirmDialog>
  )
}

export function DeleteButton({ experiment }: { experiment: Experiment }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteExperiment({ path: { id: experiment.id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `${experiment.name} is deleted` })
      await navigate({ to: "/" })
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
        <Button busy={remove.isPending} icon="trash" variant="ghost">
          Delete
        </Button>
      }
    >
      Its curves, lineage, logs and checkpoints are removed for good.
    </ConfirmDialog>
  )
}
