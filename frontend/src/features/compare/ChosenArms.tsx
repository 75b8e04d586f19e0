import type { Comparison } from "@/api/types"
import type { Chosen } from "@/features/compare/ArmPicker"
import { Icon } from "@/ui/Icon"

interface ChosenArmsProps {
  chosen: Chosen
  /** Where the names come from; without it, arms are called by their numbers. */
  comparison: Comparison | undefined
  onChange: (chosen: Chosen) => void
}

/** What is compared, each with a button that takes it away. */
export function ChosenArms({ chosen, comparison, onChange }: ChosenArmsProps) {
  const names = new Map(
    (comparison?.arms ?? []).flatMap(({ experiments, group, name }) =>
      group ? [[`group ${group.id}`, name]] : experiments.map((each) => [`experiment ${each.id}`, each.name]),
    ) as [string, string][],
  )
  const without = (ids: readonly number[], gone: number) => ids.filter((id) => id !== gone)
  return (
    <ul aria-label="Chosen arms" className="flex flex-wrap gap-2">
      {chosen.groups.map((id) => (
        <Chip
          key={`group ${id}`}
          name={names.get(`group ${id}`) ?? `group ${id}`}
          onRemove={() => onChange({ ...chosen, groups: without(chosen.groups, id) })}
        />
      ))}
      {chosen.experiments.map((id) => (
        <Chip
          key={id}
          name={names.get(`experiment ${id}`) ?? `experiment ${id}`}
          onRemove={() => onChange({ ...chosen, experiments: without(chosen.experiments, id) })}
        />
      ))}
    </ul>
  )
}

function Chip({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <li className="inline-flex h-8 max-w-full items-center gap-1 rounded-full border border-line bg-surface pr-1 pl-3 text-[13px]">
      <span className="truncate">{name}</span>
      <button
        aria-label={`Remove ${name}`}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-full text-ink-faint hover:bg-sunken hover:text-ink"
        onClick={onRemove}
        type="button"
      >
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}
