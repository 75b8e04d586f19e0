import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { forkDraftQuery } from "@/api/forks"
import { experimentQuery, presetsQuery } from "@/api/queries"
import type { Preset } from "@/api/types"
import { PresetList } from "@/features/creation/PresetList"
import { SpecEditor } from "@/features/creation/SpecEditor"
import { useCreateExperiment } from "@/features/creation/useCreateExperiment"
import { PageTitle } from "@/features/shell/PageStates"
import { formatInteger, formatSlot } from "@/lib/format"

const route = getRouteApi("/new")

interface Draft {
  yaml: string
  source: string
}

/** The starting point named in the address, once it is loaded. */
function useStartingPoint(): Draft | null {
  const { preset, from, fork, span } = route.useSearch()
  const forked = useQuery(forkDraftQuery(fork, span))
  const presets = useQuery({ ...presetsQuery, enabled: from === undefined && fork === undefined })
  const template = useQuery({
    ...experimentQuery(from ?? -1),
    enabled: from !== undefined,
    refetchInterval: false,
  })
  if (forked.data) {
    const member = forked.data.member === null ? "the best member" : formatSlot(forked.data.member)
    const step = formatInteger(forked.data.step)
    return { yaml: forked.data.yaml, source: `Fork of run ${fork}, ${member} at step ${step}` }
  }
  if (template.data) return { yaml: template.data.yaml, source: `From experiment ${template.data.name}` }
  const chosen =
    presets.data?.find(({ name }) => name === preset) ??
    presets.data?.find(({ smoke }) => smoke) ??
    presets.data?.[0]
  return chosen ? { yaml: chosen.yaml, source: `From preset ${chosen.name}` } : null
}

export function CreationPage() {
  const { from } = route.useSearch()
  const navigate = route.useNavigate()
  const create = useCreateExperiment()
  const start = useStartingPoint()
  const [draft, setDraft] = useState<Draft | null>(null)
  const [startingPreset, setStartingPreset] = useState<string | null>(null)

  // A new starting point replaces the text; the editor's undo brings it back.
  const kept = draft && (start === null || draft.source === start.source) ? draft : start
  const current = kept ?? { yaml: "", source: "No preset selected" }
  const chosen = from === undefined ? (current.source.match(/^From preset (.+)$/)?.[1] ?? null) : null

  function startPreset(preset: Preset) {
    setStartingPreset(preset.name)
    create.mutate(
      { yaml: preset.yaml, group: preset.experiments !== null },
      { onSettled: () => setStartingPreset(null) },
    )
  }

  return (
    <div className="space-y-5">
      <PageTitle hint="Start a preset as it is, or fill in the form; form and text are the same spec. Nothing is stored until you press Start.">
        New experiment
      </PageTitle>
      <div className="grid items-start gap-5 xl:grid-cols-[272px_minmax(0,1fr)] 2xl:grid-cols-[360px_minmax(0,1fr)]">
        <section
          aria-label="Presets"
          // The list scrolls by itself, so that the editor stays in sight.
          className="max-h-[50dvh] overflow-y-auto p-0.5 xl:sticky xl:top-20 xl:max-h-[calc(100dvh-6.5rem)]"
        >
          <h2 className="eyebrow mb-3">Presets</h2>
          <PresetList
            chosen={chosen}
            onChoose={(preset) => navigate({ search: { preset: preset.name }, replace: true })}
            onStart={startPreset}
            starting={create.isPending ? startingPreset : null}
          />
        </section>
        <SpecEditor
          onChange={(yaml) => setDraft({ yaml, source: current.source })}
          onStart={(group) => create.mutate({ yaml: current.yaml, group })}
          source={current.source}
          starting={create.isPending && startingPreset === null}
          yaml={current.yaml}
        />
      </div>
    </div>
  )
}
