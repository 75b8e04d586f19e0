import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { artifactsQuery } from "@/api/queries"
import { isActive, type Run } from "@/api/types"
import { filmsOf } from "@/lib/films"
import { formatInteger } from "@/lib/format"
import { filmsAt } from "@/lib/moment"
import { buttonStyle } from "@/ui/Button"

interface MomentLinksProps {
  run: Run
  /** Null until one is chosen. */
  step: number | null
  onChange: (step: number | null) => void
}

/** From a point of the curve to the log and the video of that moment. The step can be typed, too. */
export function MomentLinks({ run, step, onChange }: MomentLinksProps) {
  const artifacts = useQuery({ ...artifactsQuery(run.id, isActive(run.status)), enabled: step !== null })
  const film = step === null ? undefined : filmsAt(filmsOf(artifacts.data ?? []), step)[0]
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 pt-2 text-[13px] text-ink-soft">
      <label className="flex items-center gap-2">
        Click the curve, or enter a step
        <input
          className="numeric h-8 w-28 rounded-lg border border-line-strong bg-surface px-2 text-ink"
          inputMode="numeric"
          min={0}
          onChange={({ target }) =>
            onChange(target.value === "" ? null : Math.max(0, Math.round(Number(target.value)) || 0))
          }
          type="number"
          value={step ?? ""}
        />
      </label>
      {step !== null && (
        <Link
          className={buttonStyle("secondary", "small")}
          from="/experiments/$id"
          search={(old) => ({ ...old, tab: "logs", at: step, attempt: undefined })}
          to="/experiments/$id"
        >
          Log at this step
        </Link>
      )}
      {step !== null && film && (
        <Link
          className={buttonStyle("secondary", "small")}
          from="/experiments/$id"
          search={(old) => ({ ...old, tab: "videos", at: step })}
          to="/experiments/$id"
        >
          {film.step === step ? "Video at this step" : `Nearest video, step ${formatInteger(film.step)}`}
        </Link>
      )}
    </div>
  )
}
