import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { createOnce } from "@/api/createOnce"
import { createStudy } from "@/api/generated/sdk.gen"
import type { Advice, WorkerAdvice } from "@/api/types"
import { SpeedNote } from "@/features/creation/SpeedNote"
import { memoryDetail, memoryVerdict } from "@/lib/advice"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { notify, notifyFailure } from "@/ui/Toasts"

/** One worker: its memory against what the population needs, and its speed as measured by studies. */
export function WorkerRow({ worker, advice }: { worker: WorkerAdvice; advice: Advice }) {
  const isFull = advice.members > worker.members
  const share = Math.min(1, worker.needed_bytes / Math.max(1, worker.usable_bytes))
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 first:pt-0 last:pb-0 lg:grid-cols-2">
      <div className="min-w-0">
        <p className="truncate font-medium" title={worker.device_name}>
          {worker.worker_name}
          <span className="ml-2 font-normal text-[13px] text-ink-faint">{worker.device_name}</span>
        </p>
        <div className="mt-2 mb-1.5 h-1.5 overflow-hidden rounded-full bg-sunken">
          <div
            className={classes("h-full rounded-full", isFull ? "bg-bad" : "bg-accent")}
            style={{ width: `${Math.max(1, 100 * share)}%` }}
          />
        </div>
        <p className={isFull ? "text-bad" : undefined}>{memoryVerdict(worker, advice.members)}</p>
        <p className="numeric text-[13px] text-ink-faint">{memoryDetail(worker, advice.members)}</p>
      </div>
      <Speed advice={advice} worker={worker} />
    </li>
  )
}

function Speed({ worker, advice }: { worker: WorkerAdvice; advice: Advice }) {
  if (advice.probe === null) return <p className="text-[13px] text-ink-soft">{advice.unmeasured}</p>
  return (
    <div className="min-w-0 space-y-2">
      {worker.speed && <SpeedNote members={advice.members} speed={worker.speed} />}
      {worker.measuring_study_id !== null ? (
        <p className="flex items-center gap-2 text-[13px] text-ink-soft" role="status">
          <span className="breathing size-2 rounded-full bg-accent" />
          <span>
            {"Being measured by "}
            <Link className="underline" search={{ ids: [worker.measuring_study_id] }} to="/studies">
              {`study ${worker.measuring_study_id}`}
            </Link>
          </span>
        </p>
      ) : (
        <Probe probe={advice.probe} worker={worker} />
      )}
    </div>
  )
}

function Probe({ worker, probe }: { worker: WorkerAdvice; probe: string }) {
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: async () =>
      (
        await createOnce((headers) =>
          createStudy({ body: { yaml: probe, worker_id: worker.worker_id }, headers, throwOnError: true }),
        )
      ).data,
    onSuccess: async (study) => {
      notify({
        tone: "good",
        title: `${study.name} is queued`,
        detail: `${study.total} cells, about a minute`,
      })
      await queryClient.invalidateQueries({ queryKey: ["advice"] })
    },
    onError: (error) => notifyFailure("The measurement could not be started", error),
  })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button
        aria-label={`Measure on ${worker.worker_name}`}
        busy={start.isPending}
        icon={worker.speed ? "retry" : "play"}
        onClick={() => start.mutate()}
        size="small"
        variant={worker.speed?.is_same_size ? "ghost" : "secondary"}
      >
        {worker.speed?.is_same_size ? "Measure again" : "Measure on this worker"}
      </Button>
      <span className="text-[13px] text-ink-faint">
        {worker.speed === null
          ? "No study has measured this device; it takes about a minute"
          : !worker.speed.is_same_size && "With the sizes of this spec; about a minute"}
      </span>
    </div>
  )
}
