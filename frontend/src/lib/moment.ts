/** From a step of a run to what was printed and filmed then. */

import type { LogLine } from "@/api/types"
import type { Film } from "@/lib/films"

/** How a trainer's lines about evaluations, selections and resets begin. */
const STEP = /^step ([\d,]+)/

/**
 * Index of the log line for this step: the last one that names it or an earlier one. Lines have the time of their
 * attempt alone, and an attempt that resumed prints some steps again; what it prints is what the history shows.
 */
export function lineAt(lines: readonly LogLine[], step: number): number | null {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const { stream, text } = lines[index]!
    const found = stream === "trainer" ? STEP.exec(text) : null
    if (found && Number(found[1]!.replaceAll(",", "")) <= step) return index
  }
  return null
}

/** The films of that filmed step which is nearest. */
export function filmsAt(films: readonly Film[], step: number): Film[] {
  const distance = Math.min(...films.map((film) => Math.abs(film.step - step)))
  const nearest = films.find((film) => Math.abs(film.step - step) === distance)
  return films.filter((film) => film.step === nearest?.step)
}
