import { useEffect, useRef } from "react"
import { ApiError } from "@/api/errors"

/** Why a form was not accepted. It takes the focus, so that a screen reader reads it out. */
export function FormError({ error }: { error: unknown }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error) box.current?.focus()
  }, [error])
  if (!error) return null
  const remedy = error instanceof ApiError ? error.remedy : null
  return (
    <div
      className="rounded-lg bg-bad-soft px-3 py-2 text-bad outline-none"
      ref={box}
      role="alert"
      tabIndex={-1}
    >
      <p className="font-medium">{error instanceof Error ? error.message : String(error)}</p>
      {remedy && <p className="text-[13px]">{remedy}</p>}
    </div>
  )
}
