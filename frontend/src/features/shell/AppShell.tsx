import { Link, Outlet } from "@tanstack/react-router"
import { ConnectionBanner } from "@/features/shell/ConnectionBanner"
import { ThemeSwitch } from "@/features/shell/ThemeSwitch"
import { Logo } from "@/ui/Logo"
import { Toasts } from "@/ui/Toasts"

const LINK =
  "inline-flex h-9 items-center rounded-lg px-2.5 sm:px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-sunken data-[status=active]:text-ink"

/** What is around every page. */
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
