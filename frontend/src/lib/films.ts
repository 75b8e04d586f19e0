/** The videos among a run's artifacts, as the gallery shows them. */

import type { Artifact } from "@/api/types"
import { decodeNumber } from "@/lib/decode"

export interface Film {
  id: number
  name: string
  bytes: number
  step: number
  member: number
  /** Of the part that was filmed. */
  episodeReturn: number
  episodeSteps: number
  /** The episode came to its end before the film did. */
  ended: boolean
}

/** Newest first, members of a step in slot order. A file whose video event has not arrived is left out. */
export function filmsOf(artifacts: readonly Artifact[]): Film[] {
  return artifacts
    .flatMap(({ id, name, bytes, step, video }) =>
      video
        ? [
            {
              id,
              name,
              bytes,
              step,
              member: video.member,
              episodeReturn: decodeNumber(video.episode_return),
              episodeSteps: video.episode_steps,
              ended: video.ended,
            },
          ]
        : [],
    )
    .sort((a, b) => b.step - a.step || a.member - b.member)
}

export function filmedMembers(films: readonly Film[]): number[] {
  return [...new Set(films.map(({ member }) => member))].sort((a, b) => a - b)
}
