import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { createOnce } from "@/api/createOnce"
import { createStudy } from "@/api/generated/sdk.gen"
import { presetsQuery, workersQuery } from "@/api/queries"
import type { Study } from "@/api/types"
import { useSubmission } from "@/features/account/useMe"
import { Button } from "@/ui/Button"
import { Select } from "@/ui/Select"
import { notify, notifyFailure } from "@/ui/Toasts"

/** Queues a preset study, for any worker or for a given one. */
export function NewStudy({ onStarted }: { onStarted: (study: Study) => void }) {
  const queryClient = useQueryClient()
  const { project, whyNot } = useSubmission()
  const presets = useQuery(presetsQuery).data?.filter(({ kind }) => kind === "runtime_study") ?? []
  const workers = useQuery(workersQuery).data?.filter(({ state }) => state !== "lost") ?? []
  const [name, setName] = useState<string | null>(null)
  const [worker, setWorker] = useState("")
  const preset = presets.find((candidate) => candidate.name === name) ?? presets[0]
  const start = useMutation({
    mutationFn: async (yaml: string) => {
      const body = { yaml, project, worker_id: worker === "" ? null : Number(worker) }
      return (await createOnce((headers) => createStudy({ body, headers, throwOnError: true }))).data
    },
    onSuccess: async (study) => {
      notify({ tone: "good", title: `${study.name} is queued`, detail: `${study.total} cells` })
      await queryClient.invalidateQueries({ queryKey: ["studies"] })
      onStarted(study)
    },
    onError: (error) => notifyFailure("The study could not be started", error),
  })
  if (!preset) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Study"
        onChange={(event) => setName(event.target.value)}
        title={preset.description}
        value={preset.name}
      >
        {presets.map((candidate) => (
          <option key={candidate.name}>{candidate.name}</option>
        ))}
      </Select>
      <Select aria-label="Worker" onChange={(event) => setWorker(event.target.value)} value={worker}>
        <option value="">any worker</option>
        {workers.map(({ id, name: label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      <Button
        busy={start.isPending}
        icon="play"
        onClick={() => start.mutate(preset.yaml)}
        reason={whyNot}
        size="small"
        variant="primary"
      >
        Start
      </Button>
    </div>
  )
}
