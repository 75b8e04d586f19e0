import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { actOnExperiments } from "@/api/generated/sdk.gen"
import { BulkAction } from "@/api/types"
import type { Selection } from "@/features/experiments/useSelection"
import { Button, buttonStyle } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

const DONE: Record<BulkAction, string> = {
  stop: "asked to stop",
  pause: "paused",
  resume: "resumed",
  retry: "tried again",
  archive: "archived",
  unarchive: "brought back from the archive",
  star: "starred",
  unstar: "without a star",
  tag: "tagged",
  untag: "without the tag",
  delete: "deleted",
}

const PLAIN: readonly { action: BulkAction; label: string }[] = [
  { action: BulkAction.PAUSE, label: "Pause" },
  { action: BulkAction.RESUME, label: "Resume" },
  { action: BulkAction.RETRY, label: "Retry" },
  { action: BulkAction.STAR, label: "Star" },
  { action: BulkAction.ARCHIVE, label: "Archive" },
  { action: BulkAction.UNARCHIVE, label: "Unarchive" },
]

/** What can be done with the selected experiments. */
export function BulkBar({ selection }: { selection: Selection }) {
  const queryClient = useQueryClient()
  const ids = [...selection.ids].toSorted((a, b) => a - b)
  const act = useMutation({
    mutationFn: async ({ action, tag }: { action: BulkAction; tag?: string }) => {
      const body = { ids, action, tag: tag ?? null }
      return { action, report: (await actOnExperiments({ body, throwOnError: true })).data }
    },
    onSuccess: ({ action, report: { done, refused } }) => {
      void queryClient.invalidateQueries({ queryKey: ["experiments"] })
      if (done.length) notify({ tone: "good", title: `${count(done.length)} ${DONE[action]}` })
      if (refused.length)
        notify({ tone: "bad", title: `${count(refused.length)} refused`, detail: refused[0]!.reason })
      if (action === BulkAction.DELETE) selection.clear()
    },
    onError: (error) => notifyFailure("Nothing was changed", error),
  })
  if (ids.length === 0) return null
  return (
    <section
      aria-label="Selected experiments"
      className="rising flex flex-wrap items-center gap-2 border-line border-b bg-accent-soft px-4 py-2 sm:px-5"
    >
      <p className="numeric mr-1 font-medium text-accent-strong">{`${ids.length} selected`}</p>
      <a className={buttonStyle("primary", "small")} href={`/compare?experiments=${ids.join(",")}`}>
        Compare
      </a>
      {PLAIN.map(({ action, label }) => (
        <Button disabled={act.isPending} key={action} onClick={() => act.mutate({ action })} size="small">
          {label}
        </Button>
      ))}
      <TagForm busy={act.isPending} onTag={(action, tag) => act.mutate({ action, tag })} />
      <Confirmed
        action={BulkAction.STOP}
        label="Stop"
        onConfirm={(action) => act.mutate({ action })}
        size={ids.length}
      >
        Every run of them ends at its next segment and writes a checkpoint.
      </Confirmed>
      <Confirmed
        action={BulkAction.DELETE}
        label="Delete"
        onConfirm={(action) => act.mutate({ action })}
        size={ids.length}
      >
        Their curves, lineage, logs and checkpoints are removed for good. To put them out of sight only,
        archive them.
      </Confirmed>
      <Button onClick={selection.clear} size="small" variant="ghost">
        Select none
      </Button>
    </section>
  )
}

function count(number: number): string {
  return number === 1 ? "1 experiment" : `${number} experiments`
}

interface ConfirmedProps {
  action: BulkAction
  label: string
  size: number
  children: string
  onConfirm: (action: BulkAction) => void
}

function Confirmed({ action, label, size, children, onConfirm }: ConfirmedProps) {
  return (
    <ConfirmDialog
      confirm={label}
      onConfirm={() => onConfirm(action)}
      title={`${label} ${count(size)}?`}
      trigger={
        <Button size="small" variant="danger">
          {label}
        </Button>
      }
    >
      {children}
    </ConfirmDialog>
  )
}

function TagForm({ busy, onTag }: { busy: boolean; onTag: (action: BulkAction, tag: string) => void }) {
  const [tag, setTag] = useState("")
  function submit(event: FormEvent) {
    event.preventDefault()
    if (tag.trim()) onTag(BulkAction.TAG, tag.trim())
  }
  return (
    <form className="flex items-center gap-1" onSubmit={submit}>
      <input
        aria-label="Tag for the selected experiments"
        className="h-8 w-28 rounded-lg border border-line-strong bg-surface px-2 text-[13px]"
        maxLength={50}
        onChange={(event) => setTag(event.target.value)}
        placeholder="tag"
        value={tag}
      />
      <Button disabled={busy || !tag.trim()} size="small" type="submit">
        Tag
      </Button>
      <Button
        disabled={busy || !tag.trim()}
        onClick={() => onTag(BulkAction.UNTAG, tag.trim())}
        size="small"
        variant="ghost"
      >
        Untag
      </Button>
    </form>
  )
}
