import { Toast } from "radix-ui"
import { useSyncExternalStore } from "react"
import { ApiError } from "@/api/errors"
import { classes } from "@/ui/classes"
import { Icon, type IconName } from "@/ui/Icon"

interface Note {
  id: number
  tone: "good" | "bad" | "info"
  title: string
  detail?: string
}

let notes: readonly Note[] = []
let counter = 0
const listeners = new Set<() => void>()

function publish(next: readonly Note[]) {
  notes = next
  for (const listener of listeners) listener()
}

/** Shows the user whether an action worked. */
export function notify(note: Omit<Note, "id">): void {
  counter += 1
  publish([...notes, { ...note, id: counter }].slice(-4))
}

export function notifyFailure(title: string, error: unknown): void {
  const remedy = error instanceof ApiError && error.remedy ? ` ${error.remedy}` : ""
  notify({ tone: "bad", title, detail: `${error instanceof Error ? error.message : String(error)}${remedy}` })
}

const ICONS: Record<Note["tone"], IconName> = { good: "check", bad: "alert", info: "info" }
const TONES: Record<Note["tone"], string> = { good: "text-good", bad: "text-bad", info: "text-info" }

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const current = useSyncExternalStore(subscribe, () => notes)
  return (
    <Toast.Provider duration={6000} swipeDirection="right">
      {current.map((note) => (
        <Toast.Root
          className="rising flex items-start gap-3 rounded-xl border border-line bg-raised p-4 shadow-pop"
          key={note.id}
          onOpenChange={(open) => !open && publish(notes.filter((other) => other.id !== note.id))}
        >
          <span className={classes("mt-0.5", TONES[note.tone])}>
            <Icon name={ICONS[note.tone]} />
          </span>
          <div className="min-w-0 grow">
            <Toast.Title className="font-medium">{note.title}</Toast.Title>
            {note.detail && <Toast.Description className="text-ink-soft">{note.detail}</Toast.Description>}
          </div>
          <Toast.Close aria-label="Dismiss" className="text-ink-faint hover:text-ink">
            <Icon name="close" />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(380px,calc(100vw-32px))] flex-col gap-2" />
    </Toast.Provider>
  )
}
