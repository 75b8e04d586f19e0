/** Evaluations of saved policies: what may be asked for, and what it came to in words. */

import type { Environment } from "@/api/generated/types.gen"
import { formatInteger, formatValue, formatWithInterval } from "@/lib/format"

export const MOST_EPISODES = 1000
export const MOST_FILMS = 10
const MOST_POLICIES = 16

/** Ids of the catalogue, as `suite:id`, where members see and do the same. */
export function alikeEnvironments(all: readonly Environment[], suite: string, id: string): string[] {
  const own = all.find((each) => each.suite === suite && each.id === id)
  if (!own) return []
  const spaces = (each: Environment) => JSON.stringify([each.observation, each.action])
  return all
    .filter((each) => each !== own && spaces(each) === spaces(own))
    .map((each) => `${each.suite}:${each.id}`)
}

export interface Draft {
  episodes: string
  films: string
  environment: string
  others: string
}

/** What is wrong with what was written, by field. */
export function problemsOf({ episodes, films, others }: Draft): Partial<Record<keyof Draft, string>> {
  const found: Partial<Record<keyof Draft, string>> = {}
  if (!isWhole(episodes, 1, MOST_EPISODES)) found.episodes = `A whole number from 1 to ${MOST_EPISODES}`
  if (!isWhole(films, 0, MOST_FILMS)) found.films = `A whole number from 0 to ${MOST_FILMS}`
  const runs = runsIn(others)
  if (runs.some((run) => !Number.isSafeInteger(run) || run < 1))
    found.others = "Numbers of runs, such as 8, 9"
  else if (runs.length >= MOST_POLICIES) found.others = `At most ${MOST_POLICIES - 1} others`
  return found
}

export function runsIn(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most
}

interface Interval {
  mean: number
  low: number | null
  high: number | null
}

export function describeMean({ mean, low, high }: Interval): string {
  return low === null || high === null ? formatValue(mean) : formatWithInterval(mean, low, high)
}

/** Which of a run's policies it is. */
export function describeChoice(choice: string, step: number): string {
  const who = choice === "best" ? "best member" : choice === "mean" ? "mean of the search" : `M${choice}`
  return `${who} at step ${formatInteger(step)}`
}
