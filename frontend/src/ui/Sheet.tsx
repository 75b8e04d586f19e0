import { Dialog } from "radix-ui"
import type { ReactNode } from "react"
import { IconButton } from "@/ui/Button"
import { classes } from "@/ui/classes"

interface SheetProps {
  /** What opens it. */
  trigger: ReactNode
  title: string
  hint: string
  children: ReactNode
  wide?: boolean
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** A dialog with room for a list, which scrolls by itself. */
export function Sheet({ trigger, title, hint, children, wide = false, ...state }: SheetProps) {
  return (
    <Dialog.Root {...state}>
      <Dialog.Trigger asChild>{trigger}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Content
          className={classes(
            "rising -translate-x-1/2 fixed top-[6vh] left-1/2 z-50 flex max-h-[88vh] flex-col rounded-card border border-line bg-raised shadow-pop",
            wide ? "w-[min(760px,calc(100vw-24px))]" : "w-[min(640px,calc(100vw-24px))]",
          )}
        >
          <div className="flex items-start justify-between gap-3 px-4 pt-4 sm:px-5">
            <div>
              <Dialog.Title className="font-semibold text-lg">{title}</Dialog.Title>
              <Dialog.Description className="text-[13px] text-ink-soft">{hint}</Dialog.Description>
            </div>
            <Dialog.Close asChild>
              <IconButton aria-label="Close" icon="close" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
