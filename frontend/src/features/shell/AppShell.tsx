import { useQuery } from "@tanstack/react-query"
import { Link, Outlet } from "@tanstack/react-router"
import { healthQuery } from "@/api/queries"
import type { Health } from "@/api/types"
import { chooseTheme, type ThemeChoice, useThemeChoice } from "@/lib/theme"
import { IconButton } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Icon, type IconName } from "@/ui/Icon"
import { Logo } from "@/ui/Logo"
import { Toasts } from "@/ui/Toasts"

const LINK =
  "inline-flex h-9 items-center rounded-lg px-2.5 sm:px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-sunken data-[status=active]:text-ink"

/** The frame around every page. */
export function AppShell() {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        className="-translate-y-16 absolute top-2 left-2 z-50 rounded-lg bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
        href="#content"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 border-line border-b bg-surface/90 backdrop-blur">
        <div className="mx-auto flex h-14 max-w-[2200px] items-center gap-1 px-3 sm:gap-2 sm:px-6">
          <Link
            aria-label="Phylon, home"
            className="mr-1 flex items-center gap-2.5 rounded-lg sm:mr-4"
            to="/"
          >
            <Logo />
            <span className="hidden font-semibold text-[17px] tracking-tight sm:inline">Phylon</span>
          </Link>
          <nav aria-label="Main" className="flex grow items-center gap-0.5 sm:gap-1">
            <Link activeOptions={{ exact: true, includeSearch: false }} className={LINK} to="/">
              Experiments
            </Link>
            <Link activeOptions={{ includeSearch: false }} className={LINK} to="/new">
              New<span className="hidden sm:inline">&nbsp;experiment</span>
            </Link>
            <Link className={LINK} to="/workers">
              Workers
            </Link>
            <Link activeOptions={{ includeSearch: false }} className={LINK} to="/studies">
              <span className="hidden sm:inline">Runtime&nbsp;</span>
              <span className="capitalize sm:normal-case">studies</span>
            </Link>
          </nav>
          <ThemeSwitch />
        </div>
        <ConnectionBanner />
      </header>
      <main className="mx-auto w-full max-w-[2200px] grow px-3 py-5 sm:px-6 sm:py-7" id="content">
        <Outlet />
      </main>
      <Toasts />
    </div>
  )
}

function complaint(health: Health): string | null {
  if (health.database !== "ok")
    return "The database is unavailable. This page may be out of date, and nothing can be started."
  if (health.redis !== "ok")
    return "Redis is unavailable. New runs stay queued until it is back; nothing is lost."
  return null
}

/** Shown only when the server is unreachable or degraded. */
function ConnectionBanner() {
  const { data, isError } = useQuery(healthQuery)
  const text = isError ? "The API is unreachable, retrying…" : data ? complaint(data) : null
  if (!text) return null
  return (
    <div
      className={classes(
        "flex items-center justify-center gap-2 px-4 py-2 text-center font-medium text-[13px]",
        isError ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn",
      )}
      role="alert"
    >
      <Icon name="alert" />
      {text}
    </div>
  )
}

const NEXT: Record<ThemeChoice, ThemeChoice> = { system: "light", light: "dark", dark: "system" }
const ICONS: Record<ThemeChoice, IconName> = { system: "system", light: "sun", dark: "moon" }

/** Cycles through system, light, dark. */
function ThemeSwitch() {
  const choice = useThemeChoice()
  return (
    <IconButton
      aria-label={`Theme: ${choice}. Switch to ${NEXT[choice]}`}
      icon={ICONS[choice]}
      onClick={() => chooseTheme(NEXT[choice])}
    />
  )
}
