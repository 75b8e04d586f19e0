import { Dialog as Radix } from "radix-ui"
import type { ReactNode } from "react"
import { IconButton } from "@/ui/Button"

interface DialogProps {
  trigger: ReactNode
  title: string
  /** One sentence below the title. */
  description: ReactNode
  children: ReactNode
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** A sheet above the page with something to fill in. */
export function Dialog({ trigger, title, description, children, open, onOpenChange }: DialogProps) {
  return (
    <Radix.Root onOpenChange={onOpenChange} open={open}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Radix.Content className="rising -translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-32px)] w-[min(480px,calc(100vw-32px))] overflow-y-auto rounded-card border border-line bg-raised p-6 shadow-pop">
          <div className="flex items-start justify-between gap-3">
            <Radix.Title className="min-w-0 break-words font-semibold text-lg">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton aria-label="Close" className="-mt-1.5 -mr-2" icon="close" />
            </Radix.Close>
          </div>
          <Radix.Description asChild>
            <div className="mt-1 text-ink-soft">{description}</div>
          </Radix.Description>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
