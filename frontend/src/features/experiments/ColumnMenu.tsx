import { useQuery } from "@tanstack/react-query"
import { Popover } from "radix-ui"
import { useId, useState } from "react"
import { fieldsQuery } from "@/api/queries"
import { CHOICE, USUAL } from "@/features/experiments/columns"
import { Button } from "@/ui/Button"
import { MENU_HEADING } from "@/ui/menuStyle"

interface ColumnMenuProps {
  columns: readonly string[]
  onColumns: (columns: readonly string[]) => void
}

const MOST = 40

/** Any column, any value of the spec, any metric. */
export function ColumnMenu({ columns, onColumns }: ColumnMenuProps) {
  const [word, setWord] = useState("")
  const [open, setOpen] = useState(false)
  const fields = useQuery({ ...fieldsQuery, enabled: open })
  const more = (fields.data ?? [])
    .filter(({ kind }) => kind === "spec" || kind === "metric")
    .map(({ name }) => ({ id: name, header: name }))
  const found = [...CHOICE, ...more].filter(({ id, header }) =>
    `${id} ${header}`.toLowerCase().includes(word.toLowerCase()),
  )
  const shown = found.slice(0, MOST)

  function toggle(id: string) {
    onColumns(columns.includes(id) ? columns.filter((other) => other !== id) : [...columns, id])
  }

  return (
    <Popover.Root onOpenChange={setOpen} open={open}>
      <Popover.Trigger asChild>
        <Button icon="columns" size="small">
          Columns
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          aria-label="Columns"
          className="rising z-40 w-[min(340px,92vw)] rounded-xl border border-line bg-raised p-2 shadow-pop"
          sideOffset={6}
        >
          <input
            aria-label="Find a column"
            className="h-8 w-full rounded-lg border border-line-strong bg-surface px-2.5 text-[13px]"
            onChange={(event) => setWord(event.target.value)}
            placeholder="Any value of the spec, any metric"
            value={word}
          />
          <ul aria-label="Columns" className="mt-1.5 max-h-72 overflow-auto">
            {shown.map(({ id, header }) => (
              <ColumnChoice
                checked={columns.includes(id)}
                disabled={id === "name"}
                header={header}
                key={id}
                onToggle={() => toggle(id)}
              />
            ))}
          </ul>
          <p className={MENU_HEADING}>
            {fields.isPending
              ? "Looking for values of specs…"
              : fields.isError
                ? "Values of specs could not be loaded"
                : found.length > MOST
                  ? `${found.length - MOST} more: write a part of their name`
                  : found.length === 0
                    ? "No column has this in its name"
                    : `${found.length} columns`}
          </p>
          <Button onClick={() => onColumns(USUAL)} size="small" variant="ghost">
            The usual columns
          </Button>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ColumnChoiceProps {
  header: string
  checked: boolean
  disabled: boolean
  onToggle: () => void
}

function ColumnChoice({ header, checked, disabled, onToggle }: ColumnChoiceProps) {
  const id = useId()
  return (
    <li className="flex items-center gap-2 rounded-lg px-2 py-1 text-[13px] hover:bg-sunken">
      <input
        checked={checked}
        className="size-4 accent-accent"
        disabled={disabled}
        id={id}
        onChange={onToggle}
        type="checkbox"
      />
      <label className="min-w-0 grow cursor-pointer truncate" htmlFor={id} title={header}>
        {header}
      </label>
    </li>
  )
}
