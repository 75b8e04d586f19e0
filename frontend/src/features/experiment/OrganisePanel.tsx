import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { changeExperiment } from "@/api/generated/sdk.gen"
import type { ExperimentChange } from "@/api/generated/types.gen"
import type { Experiment } from "@/api/types"
import { StarButton } from "@/features/experiments/StarButton"
import { Button, IconButton } from "@/ui/Button"
import { Markdown } from "@/ui/Markdown"
import { notifyFailure } from "@/ui/Toasts"

/** Star, tags, name, notes and the archive of one experiment. */
export function OrganisePanel({ experiment }: { experiment: Experiment }) {
  const queryClient = useQueryClient()
  const [editing, setEditing] = useState(false)
  const change = useMutation({
    mutationFn: (body: ExperimentChange) =>
      changeExperiment({ path: { id: experiment.id }, body, throwOnError: true }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["experiments"] }),
    onError: (error) => notifyFailure("The experiment could not be changed", error),
  })
  const { tags, notes, archived_at } = experiment
  return (
    <section aria-label="Tags and notes" className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <StarButton id={experiment.id} name={experiment.name} starred={experiment.starred} />
        <ul aria-label="Tags" className="contents">
          {tags.map((tag) => (
            <li className="inline-flex items-center rounded-md bg-sunken pl-2 text-[13px]" key={tag}>
              {tag}
              <IconButton
                aria-label={`Remove tag ${tag}`}
                icon="close"
                onClick={() => change.mutate({ tags: tags.filter((other) => other !== tag) })}
              />
            </li>
          ))}
        </ul>
        <NewTag onTag={(tag) => change.mutate({ tags: [...tags, tag] })} />
        <Button onClick={() => setEditing(!editing)} size="small" variant="ghost">
          {notes ? "Edit notes and name" : "Write notes, rename"}
        </Button>
        <Button
          busy={change.isPending}
          onClick={() => change.mutate({ archived: archived_at === null })}
          size="small"
          variant="ghost"
        >
          {archived_at === null ? "Archive" : "Bring back from the archive"}
        </Button>
      </div>
      {editing ? (
        <NotesForm
          experiment={experiment}
          onCancel={() => setEditing(false)}
          onSave={(body) => change.mutate(body, { onSuccess: () => setEditing(false) })}
        />
      ) : (
        notes && (
          <div className="max-w-4xl rounded-card border border-line bg-surface px-4 py-3">
            <Markdown text={notes} />
          </div>
        )
      )}
    </section>
  )
}

function NewTag({ onTag }: { onTag: (tag: string) => void }) {
  const [tag, setTag] = useState("")
  function submit(event: FormEvent) {
    event.preventDefault()
    if (tag.trim()) onTag(tag.trim())
    setTag("")
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="New tag"
        className="h-7 w-24 rounded-md border border-line-strong border-dashed bg-surface px-2 text-[13px]"
        maxLength={50}
        onChange={(event) => setTag(event.target.value)}
        placeholder="+ tag"
        value={tag}
      />
    </form>
  )
}

interface NotesFormProps {
  experiment: Experiment
  onSave: (change: ExperimentChange) => void
  onCancel: () => void
}

function NotesForm({ experiment, onSave, onCancel }: NotesFormProps) {
  const [name, setName] = useState(experiment.name)
  const [notes, setNotes] = useState(experiment.notes)
  function submit(event: FormEvent) {
    event.preventDefault()
    onSave({ notes, ...(name !== experiment.name && { name }) })
  }
  return (
    <form className="max-w-4xl space-y-2 rounded-card border border-line bg-surface p-4" onSubmit={submit}>
      <label className="block">
        <span className="eyebrow">Name</span>
        <input
          className="mt-1 block h-9 w-full rounded-lg border border-line-strong bg-surface px-2.5"
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          required
          title="Letters, digits, '.', '_' and '-'"
          value={name}
        />
      </label>
      <label className="block">
        <span className="eyebrow">Notes, in Markdown</span>
        <textarea
          className="mt-1 block min-h-32 w-full rounded-lg border border-line-strong bg-surface p-2.5 font-mono text-[13px]"
          maxLength={50_000}
          onChange={(event) => setNotes(event.target.value)}
          value={notes}
        />
      </label>
      <div className="flex gap-2">
        <Button size="small" type="submit" variant="primary">
          Save
        </Button>
        <Button onClick={onCancel} size="small" variant="ghost">
          Cancel
        </Button>
      </div>
    </form>
  )
}
