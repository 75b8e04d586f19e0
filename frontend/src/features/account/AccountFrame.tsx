import type { ReactNode } from "react"
import { Logo } from "@/ui/Logo"

interface AccountFrameProps {
  title: string
  hint?: ReactNode
  children: ReactNode
}

/** The sheet of the pages that one sees before one is signed in. */
export function AccountFrame({ title, hint, children }: AccountFrameProps) {
  return (
    <div className="mx-auto w-full max-w-md py-6 sm:py-16">
      <title>{`${title} · Phylon`}</title>
      <div className="mb-6 flex items-center justify-center gap-2.5">
        <Logo size={34} />
        <span className="font-semibold text-xl tracking-tight">Phylon</span>
      </div>
      <section className="rounded-card border border-line bg-surface p-6 shadow-card sm:p-8">
        <h1 className="text-balance font-semibold text-[22px] leading-8 tracking-tight">{title}</h1>
        {hint && <p className="mt-1 text-pretty text-ink-soft">{hint}</p>}
        <div className="mt-6">{children}</div>
      </section>
    </div>
  )
}
