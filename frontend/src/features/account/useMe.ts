import { useQuery } from "@tanstack/react-query"
import { type Me, meQuery } from "@/api/accounts"
import { useChosenProject } from "@/lib/project"
import { projectOfNew, whyNotChange, whyNotSubmit } from "@/lib/rights"

/** Who looks at the page; undefined until it is known. */
export function useMe(): Me | undefined {
  return useQuery(meQuery).data
}

/** Why the viewer may not change this, or null. */
export function useWhyNotChange(thing: Parameters<typeof whyNotChange>[1]): string | null {
  return whyNotChange(useMe(), thing)
}

/** Where something new of the viewer goes, and why it may not. */
export function useSubmission(): { project: string | undefined; whyNot: string | null } {
  const me = useMe()
  const chosen = useChosenProject()
  return { project: projectOfNew(me, chosen), whyNot: whyNotSubmit(me, chosen) }
}
