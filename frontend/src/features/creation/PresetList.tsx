import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { presetsQuery } from "@/api/queries"
import type { Preset } from "@/api/types"
import { useSubmission } from "@/features/account/useMe"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Segmented } from "@/ui/Segmented"
import { Empty, Failure, Loading } from "@/ui/States"
import { Tag } from "@/ui/StatusChip"

interface PresetListProps {
  chosen: string | null
  /** Name of the preset that is being submitted. */
  starting: string | null
  onChoose: (preset: Preset) => void
  onStart: (preset: Preset) => void
}

export function PresetList({ chosen, starting, onChoose, onStart }: PresetListProps) {
  const presets = useQuery(presetsQuery)
  const [search, setSearch] = useState("")
  const [kind, setKind] = useState<Kind>("all")
  if (presets.isPending) return <Loading className="px-0" label="Loading presets" lines={6} />
  if (presets.isError) {
    return (
      <Failure
        error={presets.error}
        onRetry={() => presets.refetch()}
        title="The presets could not be loaded"
      />
    )
  }
  const trainable = presets.data.filter(({ kind }) => kind !== "runtime_study")
  if (trainable.length === 0) return <Empty title="No presets">Write a spec in the editor instead.</Empty>
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = trainable.filter(
    (preset) =>
      (kind === "all" || kindOf(preset) === kind) &&
      words.every((word) => `${preset.name} ${preset.description}`.toLowerCase().includes(word)),
  )
  return (
    <div className="space-y-3">
      <input
        aria-label="Search presets"
        className="h-8 w-full rounded-lg border border-line-strong bg-surface px-2.5 text-[13px] placeholder:text-ink-faint hover:border-ink-faint"
        onChange={(event) => setSearch(event.target.value)}
        placeholder="pbt cheetah, dqn, procgen…"
        type="search"
        value={search}
      />
      <Segmented label="Size of presets" onChange={setKind} options={KINDS} value={kind} />
      <p aria-live="polite" className="numeric text-[13px] text-ink-faint">
        {`${found.length} of ${trainable.length} presets`}
      </p>
      {found.length === 0 && <Empty compact title="No preset has all these words" />}
      <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-1">
        {found.map((preset) => (
          <PresetCard
            chosen={preset.name === chosen}
            key={preset.name}
            onChoose={() => onChoose(preset)}
            onStart={() => onStart(preset)}
            preset={preset}
            starting={preset.name === starting}
          />
        ))}
      </ul>
    </div>
  )
}

type Kind = "all" | "smoke" | "full" | "group"

const KINDS = [
  { value: "all", label: "All" },
  { value: "smoke", label: "A minute", title: "About a minute on two CPU cores" },
  { value: "full", label: "Full" },
  { value: "group", label: "Groups" },
] as const satisfies { value: Kind; label: string; title?: string }[]

function kindOf({ experiments, smoke }: Preset): Kind {
  return experiments !== null ? "group" : smoke ? "smoke" : "full"
}

interface PresetCardProps {
  preset: Preset
  chosen: boolean
  starting: boolean
  onChoose: () => void
  onStart: () => void
}

function PresetCard({ preset, chosen, starting, onChoose, onStart }: PresetCardProps) {
  return (
    <li
      className={classes(
        "flex min-w-0 flex-col rounded-card border bg-surface p-3 shadow-card transition-colors",
        chosen ? "border-accent ring-1 ring-accent" : "border-line hover:border-line-strong",
      )}
    >
      <div className="flex items-start justify-between gap-2">
        <h3 className="min-w-0 break-words font-semibold">{preset.name}</h3>
        <span className="flex shrink-0 flex-wrap justify-end gap-1.5 pt-0.5">
          {preset.experiments !== null && <Tag tone="active">{`${preset.experiments} experiments`}</Tag>}
          {preset.smoke && <Tag tone="good">smoke</Tag>}
        </span>
      </div>
      <p className="mt-1 line-clamp-2 grow text-[13px] text-ink-soft" title={preset.description}>
        {preset.description}
      </p>
      <div className="mt-2 flex gap-2">
        <Button
          aria-label={`Start ${preset.name}`}
          busy={starting}
          icon="play"
          onClick={onStart}
          reason={useSubmission().whyNot}
          size="small"
          variant={preset.smoke ? "primary" : "secondary"}
        >
          Start
        </Button>
        <Button
          aria-label={`Edit ${preset.name}`}
          aria-pressed={chosen}
          onClick={onChoose}
          size="small"
          variant="ghost"
        >
          {chosen ? "In the editor" : "Edit first"}
        </Button>
      </div>
    </li>
  )
}
