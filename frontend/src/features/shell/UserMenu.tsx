import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { DropdownMenu } from "radix-ui"
import type { Me } from "@/api/accounts"
import { signOut } from "@/api/generated/sdk.gen"
import { Icon } from "@/ui/Icon"
import { MENU, MENU_ITEM } from "@/ui/menuStyle"
import { notifyFailure } from "@/ui/Toasts"

/** Ends the sign-in at the service, not only in this browser. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => signOut({ throwOnError: true }),
    // The page is loaded again: nothing of what this person saw stays in its memory.
    onSuccess: () => window.location.assign("/sign-in"),
    onError: (error) => notifyFailure("You could not be signed out", error),
  })
}

/** Who is signed in, their settings, and the way out. */
export function UserMenu({ me }: { me: Me }) {
  const leaving = useSignOut()
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        aria-label={`Account of ${me.name}`}
        className="inline-flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-[13px] text-accent-strong transition-colors hover:bg-sunken"
      >
        {initials(me.name)}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" className={MENU} sideOffset={6}>
          <DropdownMenu.Label className="max-w-64 px-2.5 py-1.5">
            <span className="block truncate font-medium">{me.name}</span>
            <span className="block truncate text-[13px] text-ink-faint">{me.email}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Separator className="my-1 border-line border-t" />
          <DropdownMenu.Item asChild className={MENU_ITEM}>
            <Link to="/settings/account">
              <Icon name="lock" />
              Account
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Item asChild className={MENU_ITEM}>
            <Link to="/settings/tokens">
              <Icon name="key" />
              Tokens
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Item asChild className={MENU_ITEM}>
            <Link to="/settings/people">
              <Icon name="people" />
              People and projects
            </Link>
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 border-line border-t" />
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => leaving.mutate()}>
            <Icon name="signOut" />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Of the first and the last word of a name. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "")
  return letters.join("").toUpperCase()
}
