import { DropdownMenu } from "radix-ui"
import type { ReactNode } from "react"
import { Icon } from "@/ui/Icon"

interface CheckMenuProps {
  trigger: ReactNode
  heading: string
  items: readonly { id: string; label: string; checked: boolean }[]
  onToggle: (id: string, checked: boolean) => void
}

/** A menu in which several things can be on at once; it stays open while choosing. */
export function CheckMenu({ trigger, heading, items, onToggle }: CheckMenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          className="rising z-40 min-w-48 rounded-xl border border-line bg-raised p-1.5 shadow-pop"
          sideOffset={6}
        >
          <DropdownMenu.Label className="eyebrow px-2.5 py-1.5">{heading}</DropdownMenu.Label>
          {items.map((item) => (
            <DropdownMenu.CheckboxItem
              checked={item.checked}
              className="flex cursor-pointer select-none items-center gap-2 rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-sunken"
              key={item.id}
              onCheckedChange={(checked) => onToggle(item.id, checked)}
              onSelect={(event) => event.preventDefault()}
            >
              <span className="inline-flex size-4 items-center justify-center text-accent">
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" size={14} />
                </DropdownMenu.ItemIndicator>
              </span>
              {item.label}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
