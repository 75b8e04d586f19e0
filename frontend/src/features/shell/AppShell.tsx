import { useQuery } from "@tanstack/react-query"
import { Link, Outlet, useMatches } from "@tanstack/react-router"
import { useEffect } from "react"
import { meQuery } from "@/api/accounts"
import { ApiError } from "@/api/errors"
import { healthQuery } from "@/api/queries"
import type { Health } from "@/api/types"
import { PaletteButton } from "@/features/palette/PaletteButton"
import { ProjectSwitch } from "@/features/shell/ProjectSwitch"
import { UserMenu } from "@/features/shell/UserMenu"
import { isAccountPage } from "@/lib/accountPages"
import { chooseProject, useChosenProject } from "@/lib/project"
import { chooseTheme, type ThemeChoice, useThemeChoice } from "@/lib/theme"
import { IconButton } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Icon, type IconName } from "@/ui/Icon"
import { Logo } from "@/ui/Logo"
import { Loading } from "@/ui/States"
import { Toasts } from "@/ui/Toasts"

const LINK =
  "inline-flex h-9 shrink-0 items-center rounded-lg px-2 sm:px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-sunken data-[status=active]:text-ink"

/** The frame around every page. */
export function AppShell() {
  // By what is shown, not by the address, which is ahead of it while a page is loaded.
  const bare = useMatches({ select: (matches) => isAccountPage(matches.at(-1)?.pathname ?? "") })
  return bare ? (
    <main className="min-h-dvh px-3 sm:px-6" id="content">
      <Outlet />
      <Toasts />
    </main>
  ) : (
    <SignedInShell />
  )
}

function SignedInShell() {
  const { data: me, isPending, error, errorUpdateCount } = useQuery(meQuery)
  // Until it is known who is signed in, pages would only ask in vain; then nobody is, and the way leads to the sign-in.
  const isUnknown = isPending && errorUpdateCount === 0
  const isStranger = isUnknown || (error instanceof ApiError && error.status === 401)
  const chosen = useChosenProject()
  const known = me?.projects.some(({ id }) => id === chosen)
  useEffect(() => {
    // Of another person, or of a project that one has left.
    if (chosen !== null && known === false) chooseProject(null)
  }, [chosen, known])
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
          <nav
            aria-label="Main"
            className="flex min-w-0 grow items-center gap-0.5 overflow-x-auto [scrollbar-width:none] sm:gap-1"
          >
            <Link activeOptions={{ exact: true, includeSearch: false }} className={LINK} to="/experiments">
              Experiments
            </Link>
            <Link activeOptions={{ includeSearch: false }} className={LINK} to="/new">
              New<span className="hidden sm:inline">&nbsp;experiment</span>
            </Link>
            <Link
              activeOptions={{ includeSearch: false }}
              className={classes(LINK, "max-sm:hidden")}
              to="/compare"
            >
              Compare
            </Link>
            <Link activeOptions={{ includeSearch: false }} className={LINK} to="/queue">
              Queue
            </Link>
            <Link className={LINK} to="/workers">
              Workers
            </Link>
            <Link activeOptions={{ includeSearch: false }} className={LINK} to="/studies">
              <span className="hidden sm:inline">Runtime&nbsp;</span>
              <span className="capitalize sm:normal-case">studies</span>
            </Link>
          </nav>
          <PaletteButton />
          {me?.has_accounts && <ProjectSwitch me={me} />}
          <ThemeSwitch />
          {me?.has_accounts && <UserMenu me={me} />}
        </div>
        <ConnectionBanner />
      </header>
      <main className="mx-auto w-full max-w-[2200px] grow px-3 py-5 sm:px-6 sm:py-7" id="content">
        {isStranger ? <Loading label="Loading" /> : <Outlet key={chosen} />}
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
