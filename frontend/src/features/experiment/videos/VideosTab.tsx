import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { artifactsQuery } from "@/api/queries"
import { isActive, type Run } from "@/api/types"
import { MomentNote } from "@/features/experiment/MomentNote"
import { FilmCard } from "@/features/experiment/videos/FilmCard"
import { memberMark } from "@/lib/colour"
import { type Film, filmedMembers, filmsOf } from "@/lib/films"
import { formatInteger, formatSlot } from "@/lib/format"
import { filmsAt } from "@/lib/moment"
import { useTheme } from "@/lib/theme"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/experiments/$id")

/** Films loaded at once; each costs one request for its first frame. */
const PAGE = 12

export function VideosTab({ run }: { run: Run }) {
  const { at } = route.useSearch()
  const artifacts = useQuery(artifactsQuery(run.id, isActive(run.status)))
  const [member, setMember] = useState<number | null>(null)
  const [shown, setShown] = useState(PAGE)
  const films = filmsOf(artifacts.data ?? [])
  const members = filmedMembers(films)
  const ofMember = member === null ? films : films.filter((film) => film.member === member)
  const chosen = at === undefined ? ofMember : filmsAt(ofMember, at)
  return (
    <Panel
      actions={
        members.length > 1 && (
          <Select
            aria-label="Member"
            onChange={({ target }) => {
              setMember(target.value === "" ? null : Number(target.value))
              setShown(PAGE)
            }}
            value={member ?? ""}
          >
            <option value="">All members</option>
            {members.map((slot) => (
              <option key={slot} value={slot}>
                {formatSlot(slot)}
              </option>
            ))}
          </Select>
        )
      }
      hint="Each shows the first episode of an evaluation of one member"
      title="Videos"
    >
      {artifacts.isPending && <Loading label="Loading videos" />}
      {artifacts.isError && !artifacts.data && (
        <Failure
          error={artifacts.error}
          onRetry={() => artifacts.refetch()}
          title="The videos could not be loaded"
        />
      )}
      {artifacts.data && films.length === 0 && (
        <Empty icon="play" title="No video yet">
          {isActive(run.status)
            ? "The first one appears here after the first filmed evaluation."
            : "This run ended before recording one. If its worker could not render, the log says why."}
        </Empty>
      )}
      {at !== undefined && chosen[0] && (
        <MomentNote>
          {`Filmed at step ${formatInteger(chosen[0].step)}, the nearest to step ${formatInteger(at)}.`}
        </MomentNote>
      )}
      {films.length > 0 && <Gallery films={chosen.slice(0, shown)} />}
      {chosen.length > shown && (
        <div className="mt-4 flex justify-center">
          <Button onClick={() => setShown(shown + PAGE)} size="small">
            Show older ones ({formatInteger(chosen.length - shown)})
          </Button>
        </div>
      )}
    </Panel>
  )
}

function Gallery({ films }: { films: readonly Film[] }) {
  const theme = useTheme()
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-4" data-testid="videos">
      {films.map((film) => (
        <li className="flex min-w-0 flex-col" key={film.id}>
          <FilmCard
            colour={memberMark(film.member, theme).colour}
            film={film}
            title={`${formatSlot(film.member)} at step ${formatInteger(film.step)}`}
          />
        </li>
      ))}
    </ul>
  )
}
