import { lazy, Suspense, useEffect, useState } from "react"
import { Icon } from "@/ui/Icon"

// Not needed before it is asked for.
const CommandPalette = lazy(async () => ({
  default: (await import("@/features/palette/CommandPalette")).CommandPalette,
}))

const KEY = /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘K" : "Ctrl K"

/** Opens the command palette, as Ctrl-K and Cmd-K do anywhere. */
export function PaletteButton() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      setOpen((shown) => !shown)
    }
    window.addEventListener("keydown", onKeyDown)
    return () => window.removeEventListener("keydown", onKeyDown)
  }, [])
  return (
    <>
      <button
        aria-haspopup="dialog"
        aria-label={`Search and commands, ${KEY}`}
        className="inline-flex h-9 shrink-0 items-center gap-2 rounded-lg px-2.5 text-ink-soft transition-colors hover:bg-sunken hover:text-ink lg:border lg:border-line lg:px-3"
        onClick={() => setOpen(true)}
        title={`Search and commands (${KEY})`}
        type="button"
      >
        <Icon name="search" />
        <span aria-hidden="true" className="hidden text-[12px] text-ink-faint lg:inline">
          {KEY}
        </span>
      </button>
      {open && (
        <Suspense>
          <CommandPalette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
