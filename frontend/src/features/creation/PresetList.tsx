import { useQuery } from "@tanstack/react-query"
import { presetsQuery } from "@/api/queries"
import type { Preset } from "@/api/types"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
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
  return (
    <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-1">
      {trainable.map((preset) => (
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
  )
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
        "flex min-w-0 flex-col rounded-card border bg-surface p-4 shadow-card transition-colors",
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
      <p className="mt-1 grow text-[13px] text-ink-soft">{preset.description}</p>
      <div className="mt-3 flex gap-2">
        <Button
          aria-label={`Start ${preset.name}`}
          busy={starting}
          icon="play"
          onClick={onStart}
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
