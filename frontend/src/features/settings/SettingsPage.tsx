import { Link, Outlet } from "@tanstack/react-router"
import { useMe } from "@/features/account/useMe"
import { PageTitle } from "@/features/shell/PageStates"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

const LINK =
  "inline-flex h-9 shrink-0 items-center rounded-lg px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent-strong"

/** Oneself, one's colleagues, and what they share. */
export function SettingsPage() {
  const me = useMe()
  if (me && !me.has_accounts) {
    return (
      <Panel>
        <Empty icon="lock" title="This service has no accounts">
          Anyone who reaches it may do everything, so there is nobody to manage. Start it with{" "}
          <code>phylon serve --public-url</code> to share it with a team.
        </Empty>
      </Panel>
    )
  }
  return (
    <div className="mx-auto max-w-7xl space-y-5">
      <PageTitle>Settings</PageTitle>
      <div className="grid items-start gap-5 lg:grid-cols-[180px_minmax(0,1fr)]">
        <nav aria-label="Settings" className="flex gap-1 overflow-x-auto p-0.5 lg:flex-col">
          <Link className={LINK} to="/settings/account">
            Account
          </Link>
          <Link className={LINK} to="/settings/tokens">
            Tokens
          </Link>
          <Link className={LINK} to="/settings/people">
            People
          </Link>
          <Link className={LINK} to="/settings/projects">
            Projects
          </Link>
          {me?.is_admin && (
            <Link className={LINK} to="/settings/audit">
              Audit
            </Link>
          )}
        </nav>
        <div className="min-w-0 space-y-5">
          <Outlet />
        </div>
      </div>
    </div>
  )
}
