import { DropdownMenu } from "radix-ui"
import type { ReactNode } from "react"
import { Icon } from "@/ui/Icon"
import { MENU, MENU_HEADING, MENU_ITEM } from "@/ui/menuStyle"

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
        <DropdownMenu.Content align="end" className={MENU} sideOffset={6}>
          <DropdownMenu.Label className={MENU_HEADING}>{heading}</DropdownMenu.Label>
          {items.map((item) => (
            <DropdownMenu.CheckboxItem
              checked={item.checked}
              className={MENU_ITEM}
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
