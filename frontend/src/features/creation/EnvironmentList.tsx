import { useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from "react"
import { environmentsQuery } from "@/api/queries"
import type { Environment } from "@/api/types"
import { describeSpace, matchEnvironments, SHOWN, suitesOf } from "@/lib/environments"
import type { EnvironmentName } from "@/lib/specEnvironment"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"
import { Select } from "@/ui/Select"
import { Empty, Failure, Loading } from "@/ui/States"
import { Tag } from "@/ui/StatusChip"

interface EnvironmentListProps {
  current: Partial<EnvironmentName>
  /** `isUnique`: no other suite has an environment of this id. */
  onChoose: (environment: Environment, isUnique: boolean) => void
}

/** The catalogue with a filter. While typing, the arrow keys move through it and Enter selects. */
export function EnvironmentList({ current, onChoose }: EnvironmentListProps) {
  const query = useQuery(environmentsQuery)
  const [suite, setSuite] = useState("")
  const [word, setWord] = useState("")
  const [active, setActive] = useState(0)
  const list = useId()
  const all = query.data ?? []
  const found = useMemo(() => matchEnvironments(query.data ?? [], suite, word), [query.data, suite, word])
  const shown = found.slice(0, SHOWN)
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView?.({ block: "nearest" })
  }, [list, active])

  function choose(environment: Environment) {
    onChoose(environment, all.filter(({ id }) => id === environment.id).length === 1)
  }

  function refine(change: () => void) {
    change()
    setActive(0)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = shown[active]
    if (step !== undefined) setActive(Math.max(0, Math.min(shown.length - 1, active + step)))
    else if (event.key === "Enter" && chosen) choose(chosen)
    else return
    event.preventDefault()
  }

  if (query.isPending) return <Loading label="Loading the environments" lines={6} />
  if (query.isError) {
    return (
      <Failure
        error={query.error}
        onRetry={() => query.refetch()}
        title="The environments could not be loaded"
      />
    )
  }
  return (
    <>
      <div className="flex flex-wrap gap-2 border-line border-b px-4 py-3 sm:px-5">
        <label className="relative min-w-40 grow">
          <span className="sr-only">Search environments</span>
          <span className="-translate-y-1/2 absolute top-1/2 left-2.5 text-ink-faint">
            <Icon name="search" size={14} />
          </span>
          <input
            aria-activedescendant={shown.length > 0 ? `${list}-${active}` : undefined}
            aria-controls={list}
            aria-expanded
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the dialog is opened in order to search
            autoFocus
            className="h-8 w-full rounded-lg border border-line-strong bg-surface pr-2 pl-8 text-[13px] placeholder:text-ink-faint hover:border-ink-faint"
            onChange={(event) => refine(() => setWord(event.target.value))}
            onKeyDown={onKeyDown}
            placeholder="Search by id or family"
            role="combobox"
            type="search"
            value={word}
          />
        </label>
        <Select
          aria-label="Suite"
          onChange={(event) => refine(() => setSuite(event.target.value))}
          value={suite}
        >
          <option value="">All suites</option>
          {suitesOf(all).map(({ name, count }) => (
            <option key={name} value={name}>
              {`${name} (${count})`}
            </option>
          ))}
        </Select>
      </div>
      <div aria-label="Environments" className="min-h-0 grow overflow-y-auto" id={list} role="listbox">
        {shown.map((environment, place) => (
          <Option
            active={place === active}
            chosen={
              environment.id === current.id && environment.suite === (current.suite ?? environment.suite)
            }
            environment={environment}
            id={`${list}-${place}`}
            key={`${environment.suite}/${environment.id}`}
            onChoose={() => choose(environment)}
          />
        ))}
        {found.length === 0 && (
          <Empty compact icon="search" title="No environment matches">
            No id or family contains these words.
          </Empty>
        )}
      </div>
      <p className="numeric border-line border-t px-4 py-2 text-[13px] text-ink-faint sm:px-5" role="status">
        {found.length > SHOWN
          ? `${SHOWN} of ${found.length} environments; search to see the others`
          : found.length === 1
            ? "1 environment"
            : `${found.length} environments`}
      </p>
    </>
  )
}

interface OptionProps {
  environment: Environment
  id: string
  active: boolean
  chosen: boolean
  onChoose: () => void
}

function Option({ environment, id, active, chosen, onChoose }: OptionProps) {
  const { max_episode_steps: steps } = environment
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field above holds the focus and handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div
      aria-selected={chosen}
      className={classes(
        "cursor-pointer border-line border-b px-4 py-2 sm:px-5",
        active ? "bg-accent-soft" : "hover:bg-sunken",
      )}
      id={id}
      onClick={onChoose}
      role="option"
    >
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="min-w-0 break-all font-medium">{environment.id}</span>
        <span className="text-[13px] text-ink-faint">{`${environment.suite} · ${environment.family}`}</span>
        {chosen && <Tag tone="good">in the spec</Tag>}
      </p>
      <p className="numeric text-[13px] text-ink-soft">
        {`observations ${describeSpace(environment.observation)} · actions ${describeSpace(environment.action)}`}
        {steps !== null && ` · ${steps} steps`}
      </p>
    </div>
  )
}
