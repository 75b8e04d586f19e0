import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { experimentsQuery, presetsQuery } from "@/api/queries"
import type { PageAction } from "@/features/palette/pageActions"
import { chooseTheme } from "@/lib/theme"

export interface Command {
  id: string
  kind: "Page" | "Experiment" | "Run" | "Preset" | "This page" | "Look"
  label: string
  hint?: string
  run: () => void
}

const PAGES = [
  ["Home", "/"],
  ["Experiments", "/experiments"],
  ["New experiment", "/new"],
  ["Compare", "/compare"],
  ["Queue", "/queue"],
  ["Workers", "/workers"],
  ["Runtime studies", "/studies"],
  ["Import a lineage", "/import"],
  ["Settings: account", "/settings/account"],
  ["Settings: tokens", "/settings/tokens"],
] as const

const MOST = 8

/** All that the words match: pages first, then what the service finds by name. */
export function useCommands(text: string, actions: readonly PageAction[]): Command[] {
  const navigate = useNavigate()
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const search = useRested(text.trim())
  const experiments = useQuery({
    ...experimentsQuery({ query: "", sort: "", columns: [], search }, 0, MOST),
    enabled: search !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
  })
  const presets = useQuery({ ...presetsQuery, enabled: words.length > 0 })
  const has = (...texts: string[]) => words.every((word) => texts.join(" ").toLowerCase().includes(word))

  const pages = PAGES.map(
    ([label, to]): Command => ({ id: `page ${to}`, kind: "Page", label, run: () => void navigate({ to }) }),
  )
  const ofPage = actions.map(
    ({ label, press }): Command => ({ id: `action ${label}`, kind: "This page", label, run: press }),
  )
  const looks = (["light", "dark", "system"] as const).map(
    (theme): Command => ({
      ...{ id: `theme ${theme}`, kind: "Look", label: `Theme: ${theme}` },
      run: () => chooseTheme(theme),
    }),
  )
  const listed = [...pages, ...ofPage, ...looks].filter(({ label, kind }) => has(label, kind))
  if (words.length === 0) return listed
  const found = experiments.data?.items ?? []
  return [
    ...runCommand(text, (id) => void navigate({ to: "/runs/$id", params: { id } })),
    ...listed,
    ...found.map(
      ({ id, name, status, environment, algorithm }): Command => ({
        ...{ id: `experiment ${id}`, kind: "Experiment", label: name },
        hint: `${environment} · ${algorithm} · ${status}`,
        run: () => void navigate({ to: "/experiments/$id", params: { id } }),
      }),
    ),
    ...(presets.data ?? [])
      .filter(({ kind, name, description }) => kind !== "runtime_study" && has(name, description))
      .slice(0, MOST)
      .map(
        ({ name, description }): Command => ({
          ...{ id: `preset ${name}`, kind: "Preset", label: name, hint: description },
          run: () => void navigate({ to: "/new", search: { preset: name } }),
        }),
      ),
  ]
}

/** A number alone, or after the word, is a run's. */
function runCommand(text: string, go: (id: string) => void): Command[] {
  const number = text.trim().match(/^(?:run\s+)?#?(\d{1,9})$/i)?.[1]
  if (!number) return []
  return [{ id: `run ${number}`, kind: "Run", label: `Run ${number}`, run: () => go(number) }]
}

function useRested(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), 150)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
