import { AlertDialog } from "radix-ui"
import type { ReactNode } from "react"
import { buttonStyle } from "@/ui/Button"

interface ConfirmDialogProps {
  trigger: ReactNode
  title: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ trigger, title, children, confirm, onConfirm }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <AlertDialog.Content className="rising -translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 w-[min(440px,calc(100vw-32px))] rounded-card border border-line bg-raised p-6 shadow-pop">
          <AlertDialog.Title className="font-semibold text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 text-ink-soft">{children}</div>
          </AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel className={buttonStyle("secondary")}>Cancel</AlertDialog.Cancel>
            <AlertDialog.Action className={buttonStyle("danger")} onClick={onConfirm}>
              {confirm}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
