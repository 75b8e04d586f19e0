import { Dialog } from "radix-ui"
import { type KeyboardEvent, useEffect, useId, useState } from "react"
import { type PageAction, readPageActions } from "@/features/palette/pageActions"
import { type Command, useCommands } from "@/features/palette/useCommands"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

/** Goes anywhere and does anything by typing a few letters of it. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [actions] = useState(() => readPageActions(document.getElementById("content")))
  const [chosen, setChosen] = useState<Command | null>(null)

  function leave(open: boolean) {
    if (open) return
    onClose()
  }

  return (
    <Dialog.Root onOpenChange={leave} open={chosen === null}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="rising -translate-x-1/2 fixed top-[10vh] left-1/2 z-50 flex max-h-[70vh] w-[min(640px,calc(100vw-24px))] flex-col overflow-hidden rounded-card border border-line bg-raised shadow-pop"
          onCloseAutoFocus={(event) => {
            if (chosen === null) return
            // What was chosen decides where the focus goes, now that the page can be reached again.
            event.preventDefault()
            onClose()
            chosen.run()
          }}
        >
          <Dialog.Title className="sr-only">Go to or do</Dialog.Title>
          <CommandList actions={actions} onChoose={setChosen} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface CommandListProps {
  actions: readonly PageAction[]
  onChoose: (command: Command) => void
}

function CommandList({ actions, onChoose }: CommandListProps) {
  const [text, setText] = useState("")
  const [active, setActive] = useState(0)
  const list = useId()
  const commands = useCommands(text, actions)
  const place = Math.min(active, commands.length - 1)
  useEffect(() => {
    document.getElementById(`${list}-${place}`)?.scrollIntoView?.({ block: "nearest" })
  }, [list, place])

  function onKeyDown(event: KeyboardEvent) {
    const last = commands.length - 1
    const next = { ArrowDown: place === last ? 0 : place + 1, ArrowUp: place <= 0 ? last : place - 1 }[
      event.key
    ]
    const command = commands[place]
    if (next !== undefined) setActive(next)
    else if (event.key === "Enter" && command) onChoose(command)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="flex items-center gap-2.5 border-line border-b px-4">
        <span className="text-ink-faint">
          <Icon name="search" />
        </span>
        <input
          aria-activedescendant={commands.length > 0 ? `${list}-${place}` : undefined}
          aria-controls={list}
          aria-expanded
          aria-label="Page, experiment, run, preset or action"
          autoComplete="off"
          className="h-12 w-full min-w-0 bg-transparent outline-none placeholder:text-ink-faint"
          onChange={(event) => {
            setText(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          placeholder="Page, experiment, run number, preset or action…"
          role="combobox"
          value={text}
        />
      </div>
      <div aria-label="Commands" className="min-h-0 grow overflow-y-auto p-1.5" id={list} role="listbox">
        {commands.map((command, index) => (
          <Option
            active={index === place}
            command={command}
            id={`${list}-${index}`}
            key={command.id}
            onChoose={() => onChoose(command)}
          />
        ))}
      </div>
      <p className="border-line border-t px-4 py-2 text-[13px] text-ink-faint" role="status">
        {commands.length === 0 ? "Nothing matches" : `${commands.length} found`} · ↑ ↓ choose · Enter opens ·
        Esc closes
      </p>
    </>
  )
}

interface OptionProps {
  command: Command
  id: string
  active: boolean
  onChoose: () => void
}

function Option({ command: { kind, label, hint }, id, active, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field above holds the focus and handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div
      aria-selected={active}
      className={classes(
        "flex cursor-pointer items-baseline gap-3 rounded-lg px-2.5 py-2",
        active ? "bg-accent-soft" : "hover:bg-sunken",
      )}
      id={id}
      onClick={onChoose}
      role="option"
    >
      <span className="min-w-0 shrink-0 truncate font-medium max-sm:max-w-[60%]">{label}</span>
      <span className="min-w-0 grow truncate text-[13px] text-ink-soft">{hint}</span>
      <span className="shrink-0 text-[12px] text-ink-soft">{kind}</span>
    </div>
  )
}
