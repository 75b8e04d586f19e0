import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Popover } from "radix-ui"
import { type FormEvent, useState } from "react"
import { createView, deleteView } from "@/api/generated/sdk.gen"
import { viewsQuery } from "@/api/queries"
import type { SavedView, ViewLayout } from "@/api/types"
import { Button, IconButton } from "@/ui/Button"
import { MENU_HEADING } from "@/ui/menuStyle"
import { Select } from "@/ui/Select"
import { notify, notifyFailure } from "@/ui/Toasts"

interface ViewMenuProps {
  query: string
  layout: ViewLayout
  /** Those that one can save a view for. */
  projects: readonly string[]
  onView: (view: SavedView) => void
}

/** Saved views: what the table asks for and how it shows it, for oneself or for a project. */
export function ViewMenu({ query, layout, projects, onView }: ViewMenuProps) {
  const queryClient = useQueryClient()
  const views = useQuery(viewsQuery)
  const [open, setOpen] = useState(false)
  const renew = () => queryClient.invalidateQueries({ queryKey: viewsQuery.queryKey })
  const save = useMutation({
    mutationFn: ({ name, project }: { name: string; project: string | null }) =>
      createView({ body: { name, query, layout, project }, throwOnError: true }),
    onSuccess: async ({ data }) => {
      await renew()
      setOpen(false)
      notify({ tone: "good", title: `View ${data.name} is saved` })
    },
    onError: (error) => notifyFailure("The view could not be saved", error),
  })
  const remove = useMutation({
    mutationFn: (id: number) => deleteView({ path: { id }, throwOnError: true }),
    onSuccess: renew,
    onError: (error) => notifyFailure("The view could not be deleted", error),
  })
  return (
    <Popover.Root onOpenChange={setOpen} open={open}>
      <Popover.Trigger asChild>
        <Button icon="template" size="small">
          Views
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          aria-label="Saved views"
          className="rising z-40 w-[min(340px,92vw)] rounded-xl border border-line bg-raised p-2 shadow-pop"
          sideOffset={6}
        >
          <p className={MENU_HEADING}>
            {views.isPending
              ? "Loading views…"
              : views.isError
                ? "Views could not be loaded"
                : views.data.length
                  ? "Saved views"
                  : "No view is saved yet"}
          </p>
          <ul className="max-h-64 overflow-auto">
            {views.data?.map((view) => (
              <li className="flex items-center gap-1 rounded-lg hover:bg-sunken" key={view.id}>
                <button
                  className="min-w-0 grow truncate rounded-lg px-2.5 py-1.5 text-left"
                  onClick={() => {
                    onView(view)
                    setOpen(false)
                  }}
                  title={view.query || "All experiments"}
                  type="button"
                >
                  {view.name}
                  <span className="ml-2 text-[12px] text-ink-faint">{view.project?.name ?? "own"}</span>
                </button>
                <IconButton
                  aria-label={`Delete view ${view.name}`}
                  icon="trash"
                  onClick={() => remove.mutate(view.id)}
                />
              </li>
            ))}
          </ul>
          <SaveForm
            busy={save.isPending}
            onSave={(name, project) => save.mutate({ name, project })}
            projects={projects}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface SaveFormProps {
  busy: boolean
  projects: readonly string[]
  onSave: (name: string, project: string | null) => void
}

function SaveForm({ busy, projects, onSave }: SaveFormProps) {
  const [name, setName] = useState("")
  const [project, setProject] = useState("")
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim()) onSave(name.trim(), project || null)
  }
  return (
    <form className="mt-2 flex flex-wrap gap-2 border-line border-t pt-2" onSubmit={submit}>
      <input
        aria-label="Name of the view"
        className="h-8 min-w-0 grow rounded-lg border border-line-strong bg-surface px-2.5 text-[13px]"
        maxLength={100}
        onChange={(event) => setName(event.target.value)}
        placeholder="Save this table as…"
        value={name}
      />
      <Select
        aria-label="Who sees the view"
        onChange={(event) => setProject(event.target.value)}
        value={project}
      >
        <option value="">Only me</option>
        {projects.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
      <Button busy={busy} disabled={!name.trim()} size="small" type="submit" variant="primary">
        Save
      </Button>
    </form>
  )
}
