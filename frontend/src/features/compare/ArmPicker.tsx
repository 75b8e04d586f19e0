import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { experimentsQuery, groupsQuery, WINDOW } from "@/api/queries"
import { Button } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Sheet } from "@/ui/Sheet"
import { Empty, Failure, Loading } from "@/ui/States"

export interface Chosen {
  experiments: readonly number[]
  groups: readonly number[]
}

interface ArmPickerProps {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
  /** Whether choosing is what there is to do. */
  primary: boolean
}

/** Chooses experiments and groups from all that there are. */
export function ArmPicker({ chosen, onChange, primary }: ArmPickerProps) {
  return (
    <Sheet
      hint="Experiments, and groups: one of arms stands for all of them, one of tasks for itself."
      title="Choose what to compare"
      trigger={
        <Button icon="plus" variant={primary ? "primary" : "secondary"}>
          Choose arms
        </Button>
      }
    >
      <Choices chosen={chosen} onChange={onChange} />
    </Sheet>
  )
}

const NEWEST = { query: "", sort: "", columns: [] }

function Choices({ chosen, onChange }: Omit<ArmPickerProps, "primary">) {
  const [search, setSearch] = useState("")
  const [shown, setShown] = useState(WINDOW)
  const list = useQuery(experimentsQuery({ ...NEWEST, search }, 0, shown))
  const groups = useQuery(groupsQuery)
  const found = list.data?.items ?? []
  const wanted = (groups.data ?? []).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))

  function toggle(kind: keyof Chosen, id: number) {
    const has = chosen[kind].includes(id)
    onChange({ ...chosen, [kind]: has ? chosen[kind].filter((each) => each !== id) : [...chosen[kind], id] })
  }

  return (
    <>
      <label className="relative mx-4 my-3 block sm:mx-5">
        <span className="sr-only">Search experiments and groups</span>
        <span className="-translate-y-1/2 absolute top-1/2 left-3 text-ink-faint">
          <Icon name="search" />
        </span>
        <input
          className="h-9 w-full rounded-lg border border-line-strong bg-surface pr-3 pl-9 placeholder:text-ink-faint"
          onChange={(event) => setSearch(event.target.value)}
          placeholder="Name, environment or algorithm"
          type="search"
          value={search}
        />
      </label>
      <div className="min-h-40 overflow-y-auto border-line border-t p-2">
        {list.isPending && <Loading label="Loading the experiments" lines={4} />}
        {list.isError && !list.data && (
          <Failure error={list.error} onRetry={() => list.refetch()} title="The list could not be loaded" />
        )}
        {list.data && found.length + wanted.length === 0 && (
          <Empty compact title={search ? "Nothing is called like that" : "There are no experiments yet"} />
        )}
        {wanted.map(({ id, name, size }) => (
          <Choice
            checked={chosen.groups.includes(id)}
            detail={size === 1 ? "group of 1" : `group of ${size}`}
            key={`group ${id}`}
            name={name}
            onToggle={() => toggle("groups", id)}
          />
        ))}
        {found.map(({ id, name, environment, algorithm, replicates }) => (
          <Choice
            checked={chosen.experiments.includes(id)}
            detail={`${id} · ${environment} · ${algorithm} · ${replicates === 1 ? "1 run" : `${replicates} runs`}`}
            key={id}
            name={name}
            onToggle={() => toggle("experiments", id)}
          />
        ))}
        {list.data && list.data.total > found.length && (
          <Button
            busy={list.isFetching}
            className="m-2"
            onClick={() => setShown(shown + WINDOW)}
            size="small"
          >
            Show more
          </Button>
        )}
      </div>
    </>
  )
}

interface ChoiceProps {
  checked: boolean
  name: string
  detail: string
  onToggle: () => void
}

function Choice({ checked, name, detail, onToggle }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 hover:bg-sunken">
      <input checked={checked} className="size-4 accent-(--accent)" onChange={onToggle} type="checkbox" />
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="numeric block truncate text-[13px] text-ink-faint">{detail}</span>
      </span>
    </label>
  )
}
