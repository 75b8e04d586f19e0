/** The catalogue of environments: searched, counted and put into words. */

import type { Environment, Space } from "@/api/types"

/** Rows that a list shows at once; who wants another one searches. */
export const SHOWN = 100

/** Those of the suite with every word in id or family; ids that begin with the text come first. */
export function matchEnvironments(all: readonly Environment[], suite: string, text: string): Environment[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all.filter(
    (environment) =>
      (suite === "" || environment.suite === suite) &&
      words.every((word) => `${environment.id} ${environment.family}`.toLowerCase().includes(word)),
  )
  const first = words[0]
  if (first === undefined) return found
  const begins = ({ id }: Environment) => id.toLowerCase().startsWith(first)
  return [...found.filter(begins), ...found.filter((environment) => !begins(environment))]
}

export function suitesOf(all: readonly Environment[]): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { suite } of all) counts.set(suite, (counts.get(suite) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => a.name.localeCompare(b.name))
}

/** As `phylon environments` says it; of a composite space how many parts it has. */
export function describeSpace(space: Space): string {
  switch (space.kind) {
    case "box":
      return `${space.shape.join("×") || "1"} ${space.dtype}`
    case "discrete":
      return `${space.n} discrete values`
    case "multi_discrete":
      return `${space.counts.length} choices of ${space.counts.join(", ")} values`
    case "composite":
      return `${space.parts.length === 1 ? "one part" : `${space.parts.length} parts`}, ${space.shape[0]} numbers`
    case "other":
      return "a space without a fixed size or without bounds"
  }
}
