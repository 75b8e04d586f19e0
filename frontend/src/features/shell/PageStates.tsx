import { Link } from "@tanstack/react-router"
import { buttonStyle } from "@/ui/Button"
import { Failure } from "@/ui/States"

export function NotFound() {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center py-24 text-center">
      <svg aria-hidden="true" className="mb-6 text-accent" height="72" viewBox="0 0 160 72" width="160">
        <g fill="none" stroke="currentColor" strokeLinecap="round" strokeWidth="3">
          <path d="M4 52h46c26 0 20-36 52-36h22" />
          <path d="M52 52c30 0 28-12 54-12h18" opacity="0.45" />
          <path d="M48 52h24c18 0 22 10 38 10" opacity="0.45" strokeDasharray="1 8" />
        </g>
        <circle cx="136" cy="16" fill="none" r="8" stroke="currentColor" strokeWidth="3" />
      </svg>
      <h1 className="font-semibold text-2xl tracking-tight">Page not found</h1>
      <p className="mt-2 text-ink-soft">
        There is no page at this address. It may have been deleted, or the link is incomplete.
      </p>
      <Link className={`mt-6 ${buttonStyle("primary")}`} to="/experiments">
        To the experiments
      </Link>
    </div>
  )
}

export function PageFailure({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failure error={error} onRetry={reset} title="This page could not be shown" />
}

export function PageTitle({ children, hint }: { children: string; hint?: string }) {
  return (
    <div className="min-w-0">
      <title>{`${children} · Phylon`}</title>
      <h1 className="truncate font-semibold text-[22px] leading-8 tracking-tight">{children}</h1>
      {hint && <p className="text-ink-soft">{hint}</p>}
    </div>
  )
}
