import { Dialog } from "radix-ui"
import { Button } from "@/ui/Button"

const KEYS = [
  ["/", "Write a query"],
  ["↑ ↓", "Go to another row; Page Up, Page Down, Home and End go farther"],
  ["Space", "Select the row, or not"],
  ["Enter", "Open the experiment"],
  ["Esc", "Leave the query"],
  ["?", "Show these keys"],
] as const

export function KeysDialog({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  return (
    <Dialog.Root onOpenChange={onOpen} open={open}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="rising -translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 w-[min(460px,calc(100vw-32px))] rounded-card border border-line bg-raised p-6 shadow-pop"
        >
          <Dialog.Title className="font-semibold text-lg">Keys of this page</Dialog.Title>
          <dl className="mt-3 grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2">
            {KEYS.map(([key, meaning]) => (
              <div className="contents" key={key}>
                <dt>
                  <kbd className="rounded-md border border-line-strong bg-sunken px-1.5 py-0.5">{key}</kbd>
                </dt>
                <dd className="text-ink-soft">{meaning}</dd>
              </div>
            ))}
          </dl>
          <div className="mt-6 flex justify-end">
            <Dialog.Close asChild>
              <Button>Close</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
