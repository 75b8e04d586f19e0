import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { Project } from "@/api/accounts"
import { renameProject, shareProject } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { ADMIN_ONLY, isProjectAdmin } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Panel } from "@/ui/Panel"
import { notify } from "@/ui/Toasts"

const number = (text: string) => (text.trim() === "" ? null : Number(text))

/** A project's name, and its part of the queue. */
export function ProjectShareForm({ project }: { project: Project }) {
  const me = useMe()
  const queryClient = useQueryClient()
  const [name, setName] = useState(project.name)
  const [weight, setWeight] = useState(String(project.weight))
  const [running, setRunning] = useState(String(project.max_running ?? ""))
  const [hours, setHours] = useState(String(project.weekly_device_hours ?? ""))
  const [preemption, setPreemption] = useState(project.allows_preemption)
  const mayShare = me?.is_admin ?? false
  const mayName = isProjectAdmin(me, project.id)
  const save = useMutation({
    mutationFn: async () => {
      const path = { id: project.id }
      if (name !== project.name) await renameProject({ path, body: { name }, throwOnError: true })
      if (!mayShare) return
      const body = {
        weight: Number(weight),
        max_running: number(running),
        weekly_device_hours: number(hours),
        allows_preemption: preemption,
      }
      await shareProject({ path, body, throwOnError: true })
    },
    onSuccess: async () => {
      notify({ tone: "good", title: `${name} is saved` })
      for (const key of ["projects", "me"]) await queryClient.invalidateQueries({ queryKey: [key] })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayName) save.mutate()
  }

  const whyNot = mayName ? null : `Only admins of project ${project.name} may change it. Ask one of them.`
  return (
    <Panel
      hint={
        mayShare ? "Where devices are scarce, projects get them by weight" : `Of the queue: ${ADMIN_ONLY}`
      }
      title="Name and share"
    >
      <form className="space-y-4 pt-1" onSubmit={submit}>
        <FormError error={save.error} />
        <Field
          label="Name"
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          pattern=".*\S.*"
          readOnly={!mayName}
          required
          value={name}
        />
        <div className="grid gap-4 sm:grid-cols-3">
          <Field
            label="Weight"
            max={1000}
            min={0.001}
            onChange={(event) => setWeight(event.target.value)}
            readOnly={!mayShare}
            required
            step="any"
            type="number"
            value={weight}
          />
          <Field
            label="Devices at once"
            min={1}
            onChange={(event) => setRunning(event.target.value)}
            placeholder="no limit"
            readOnly={!mayShare}
            type="number"
            value={running}
          />
          <Field
            label="Device-hours a week"
            min={0}
            onChange={(event) => setHours(event.target.value)}
            placeholder="no limit"
            readOnly={!mayShare}
            step="any"
            type="number"
            value={hours}
          />
        </div>
        <label className="flex items-center gap-2">
          <input
            checked={preemption}
            className="size-4 accent-accent"
            disabled={!mayShare}
            onChange={(event) => setPreemption(event.target.checked)}
            type="checkbox"
          />
          Its jobs may be asked to hand back at a checkpoint for one of a higher class
        </label>
        <Button busy={save.isPending} reason={whyNot} type="submit" variant="primary">
          Save
        </Button>
      </form>
    </Panel>
  )
}
