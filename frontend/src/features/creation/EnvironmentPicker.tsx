import { Dialog } from "radix-ui"
import { useMemo, useState } from "react"
import { EnvironmentList } from "@/features/creation/EnvironmentList"
import { readEnvironment, writeEnvironment } from "@/lib/specEnvironment"
import { Button, IconButton } from "@/ui/Button"

interface EnvironmentPickerProps {
  yaml: string
  onChange: (yaml: string) => void
  id: string
  describedBy: string | undefined
  /** The environment that is written now; empty for none. */
  name: string
}

/** Writes an environment of the catalogue into the spec's text. */
export function EnvironmentPicker({ yaml, onChange, id, describedBy, name }: EnvironmentPickerProps) {
  const [open, setOpen] = useState(false)
  const current = useMemo(() => readEnvironment(yaml), [yaml])
  return (
    <Dialog.Root onOpenChange={setOpen} open={open}>
      <Dialog.Trigger asChild>
        <Button
          aria-describedby={describedBy}
          aria-label={`Environment: ${name || "choose one"}`}
          className="w-full justify-start!"
          icon="search"
          id={id}
          size="small"
        >
          <span className="truncate">{name || "Choose…"}</span>
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Content className="rising -translate-x-1/2 fixed top-[6vh] left-1/2 z-50 flex max-h-[88vh] w-[min(760px,calc(100vw-24px))] flex-col rounded-card border border-line bg-raised shadow-pop">
          <div className="flex items-start justify-between gap-3 px-4 pt-4 sm:px-5">
            <div>
              <Dialog.Title className="font-semibold text-lg">Choose an environment</Dialog.Title>
              <Dialog.Description className="text-[13px] text-ink-soft">
                It is written into the spec; validation then reports whether the algorithm supports it.
              </Dialog.Description>
            </div>
            <Dialog.Close asChild>
              <IconButton aria-label="Close" icon="close" />
            </Dialog.Close>
          </div>
          <EnvironmentList
            current={current ?? {}}
            onChoose={({ suite, id }, isUnique) => {
              onChange(writeEnvironment(yaml, { suite, id }, isUnique))
              setOpen(false)
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
