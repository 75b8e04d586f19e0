import { getRouteApi } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Button } from "@/ui/Button"

const route = getRouteApi("/experiments/$id")

/** Says which moment a tab shows, and leads back to all of it. */
export function MomentNote({ children }: { children: ReactNode }) {
  const navigate = route.useNavigate()
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft" role="status">
      {children}
      <Button
        onClick={() => navigate({ search: (old) => ({ ...old, at: undefined }), replace: true })}
        size="small"
        variant="ghost"
      >
        Show all
      </Button>
    </p>
  )
}
