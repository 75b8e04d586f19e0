import { useQuery } from "@tanstack/react-query"
import { healthQuery } from "@/api/queries"
import type { Health } from "@/api/types"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

function complaint(health: Health): string | null {
  if (health.database !== "ok")
    return "The database is unavailable. What you see may be old, and nothing can be started."
  if (health.redis !== "ok")
    return "Redis is unavailable. New runs wait in the queue until it is back; nothing is lost."
  return null
}

/** Says so when the server is away or not whole; silent otherwise. */
export function ConnectionBanner() {
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
