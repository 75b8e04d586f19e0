import { useRef, useState } from "react"
import type { Film } from "@/lib/films"
import { formatBytes, formatInteger, formatValue } from "@/lib/format"
import { Icon } from "@/ui/Icon"

interface FilmCardProps {
  film: Pick<Film, "id" | "name" | "bytes" | "episodeReturn" | "episodeSteps" | "ended">
  /** Whom it shows, and when. */
  title: string
  /** Of whom it shows. */
  colour?: string
}

/** One film. Once it plays it has the browser's own controls, which keyboards, phones and screen readers know. */
export function FilmCard({ film, title, colour }: FilmCardProps) {
  const player = useRef<HTMLVideoElement>(null)
  const [started, setStarted] = useState(false)
  const [broken, setBroken] = useState(false)
  const source = `/api/v1/artifacts/${film.id}/content`

  function play() {
    setStarted(true)
    player.current?.focus()
    void player.current?.play()
  }

  return (
    <figure className="flex min-w-0 grow flex-col overflow-hidden rounded-lg border border-line bg-sunken">
      {broken ? (
        <div
          className="flex aspect-square flex-col items-center justify-center gap-2 px-4 text-center text-ink-soft"
          role="alert"
        >
          <Icon name="alert" size={20} />
          This video cannot be played here. You may download it.
        </div>
      ) : (
        <div className="relative">
          <video
            aria-label={title}
            className="aspect-square w-full bg-black object-contain"
            controls={started}
            loop
            muted
            onError={() => setBroken(true)}
            playsInline
            preload="metadata"
            ref={player}
            src={source}
            tabIndex={started ? 0 : -1}
          />
          {!started && (
            <button
              aria-label={`Play ${title}`}
              className="group absolute inset-0 flex cursor-pointer items-center justify-center"
              onClick={play}
              type="button"
            >
              <span className="inline-flex size-12 items-center justify-center rounded-full bg-surface/85 pl-0.5 text-ink shadow-pop transition-transform group-hover:scale-110">
                <Icon name="play" size={20} />
              </span>
            </button>
          )}
        </div>
      )}
      <figcaption className="flex grow items-start gap-2 border-line border-t bg-surface px-3 py-2.5">
        {colour && (
          <span
            aria-hidden="true"
            className="mt-1.5 size-2.5 shrink-0 rounded-full"
            style={{ background: colour }}
          />
        )}
        <div className="min-w-0 grow">
          <p className="numeric truncate font-medium" title={title}>
            {title}
          </p>
          <p className="numeric text-[13px] text-ink-soft">
            return {formatValue(film.episodeReturn)} · {film.ended ? "" : "first "}
            {formatInteger(film.episodeSteps)} steps
          </p>
        </div>
        <a
          aria-label={`Download the video of ${title}, ${formatBytes(film.bytes)}`}
          className="-mr-1 inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-faint transition-colors hover:bg-sunken hover:text-ink"
          download={film.name}
          href={source}
          title={`Download, ${formatBytes(film.bytes)}`}
        >
          <Icon name="download" />
        </a>
      </figcaption>
    </figure>
  )
}
