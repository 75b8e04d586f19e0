import { useMutation, useQueryClient } from "@tanstack/react-query"
import { drainWorker, releaseWorker, revokeWorker, undrainWorker } from "@/api/generated/sdk.gen"
import type { Worker } from "@/api/types"
import { type Operation, operationsOf } from "@/lib/workers"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notifyFailure } from "@/ui/Toasts"

const LABELS: Record<Operation, string> = {
  drain: "Drain",
  drainNow: "Drain now",
  undrain: "Undrain",
  release: "Let it back",
  revoke: "Revoke",
}

/** Asked before what costs others something. */
const WARNINGS: Partial<Record<Operation, string>> = {
  drainNow:
    "What it executes writes a checkpoint and goes back to the queue, and it gets no new job until it is undrained. No attempt is lost.",
  revoke:
    "Its credential counts no more: it gets no job, and what it executes goes to others. To come back it must enrol with a new code.",
}

const HINTS: Partial<Record<Operation, string>> = {
  drain: "It gets no new job; what it executes goes on to its end",
  undrain: "It gets jobs again",
  release: "It gets jobs again, and what was before is forgotten",
}

function send(operation: Operation, id: number) {
  const options = { path: { id }, throwOnError: true } as const
  switch (operation) {
    case "drain":
    case "drainNow":
      return drainWorker({ ...options, body: { now: operation === "drainNow" } })
    case "undrain":
      return undrainWorker(options)
    case "release":
      return releaseWorker(options)
    case "revoke":
      return revokeWorker(options)
  }
}

/** What the operator of a worker can do with it. */
export function WorkerActions({ worker }: { worker: Worker }) {
  const queryClient = useQueryClient()
  const operate = useMutation({
    mutationFn: async (operation: Operation) => {
      await send(operation, worker.id)
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["workers"], exact: true }),
    onError: (error, operation) => notifyFailure(`${LABELS[operation]} failed for ${worker.name}`, error),
  })
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      {operationsOf(worker).map((operation) => {
        const warning = WARNINGS[operation]
        const button = (
          <Button
            aria-label={`${LABELS[operation]}: ${worker.name}`}
            busy={operate.isPending && operate.variables === operation}
            disabled={operate.isPending}
            key={operation}
            onClick={warning ? undefined : () => operate.mutate(operation)}
            size="small"
            title={HINTS[operation]}
            variant={operation === "revoke" ? "ghost" : operation === "release" ? "primary" : "secondary"}
          >
            {LABELS[operation]}
          </Button>
        )
        if (!warning) return button
        return (
          <ConfirmDialog
            confirm={LABELS[operation]}
            key={operation}
            onConfirm={() => operate.mutate(operation)}
            title={`${LABELS[operation]}: ${worker.name}?`}
            trigger={button}
          >
            {warning}
          </ConfirmDialog>
        )
      })}
    </div>
  )
}
