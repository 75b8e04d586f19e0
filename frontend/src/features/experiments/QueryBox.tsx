import { useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import type { ApiError } from "@/api/errors"
import { countsQuery, fieldsQuery } from "@/api/queries"
import { completionsFor, spotAt } from "@/lib/query"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"

interface QueryBoxProps {
  query: string
  /** What the service says about the query, if it cannot be read. */
  error: ApiError | null
  onQuery: (query: string) => void
}

/** Whether someone who pauses here may have said all that they want to say. */
function isWhole(text: string): boolean {
  const { expects, word } = spotAt(text, text.length)
  return text.trim() === "" || expects === "joint" || (expects !== "operator" && word !== "")
}

/** The query, with what may be written next. It takes effect by Enter, or by a pause where it may be whole. */
export function QueryBox({ query, error, onQuery }: QueryBoxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(query)
  const [cursor, setCursor] = useState(query.length)
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  // The address keeps no space at the end, which one who is writing needs.
  useEffect(() => setDraft((old) => (old.trim() === query ? old : query)), [query])
  useEffect(() => {
    const timer = setTimeout(() => draft.trim() !== query && isWhole(draft) && onQuery(draft), 500)
    return () => clearTimeout(timer)
  }, [draft, query, onQuery])

  const spot = spotAt(draft, cursor)
  const fields = useQuery({ ...fieldsQuery, enabled: open }).data ?? []
  const field = spot.expects === "value" ? spot.field : null
  const values = useQuery({
    ...countsQuery(field ?? "", ""),
    enabled: open && field !== null,
    retry: false,
  }).data
  const found = values?.flatMap(({ value }) => (value === null ? [] : [value])) ?? []
  const offers = open ? completionsFor(spot, fields, found) : []
  const shown = offers.length > 0 && !(offers.length === 1 && offers[0]!.label === spot.word)

  function take(text: string) {
    const next = draft.slice(0, spot.start) + text + draft.slice(cursor)
    const place = spot.start + text.length
    setDraft(next)
    setCursor(place)
    setChosen(-1)
    requestAnimationFrame(() => input.current?.setSelectionRange(place, place))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && shown) setOpen(false)
    else if (event.key === "Escape") input.current?.blur()
    else if (event.key === "ArrowDown" && shown) setChosen((chosen + 1) % offers.length)
    else if (event.key === "ArrowUp" && shown) setChosen((chosen - 1 + offers.length) % offers.length)
    else if ((event.key === "Enter" || event.key === "Tab") && shown && chosen >= 0)
      take(offers[chosen]!.text)
    else if (event.key === "Enter") {
      setOpen(false)
      onQuery(draft)
    } else return
    if (event.key !== "Tab" || (shown && chosen >= 0)) event.preventDefault()
  }

  return (
    <div className="relative min-w-52 grow">
      <span className="-translate-y-1/2 absolute top-4 left-2.5 text-ink-faint">
        <Icon name="search" size={14} />
      </span>
      <input
        aria-activedescendant={shown && chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        aria-controls={shown ? `${id}-list` : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        aria-expanded={shown}
        aria-invalid={error !== null}
        aria-label="Query"
        autoComplete="off"
        className={classes(
          "h-8 w-full rounded-lg border bg-surface pr-8 pl-8 font-mono text-[13px] placeholder:font-sans placeholder:text-ink-faint",
          error ? "border-bad" : "border-line-strong hover:border-ink-faint",
        )}
        data-query-box
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          setDraft(event.target.value)
          setCursor(event.target.selectionStart ?? event.target.value.length)
          setOpen(true)
          setChosen(-1)
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? 0)}
        placeholder="A word, or algorithm = td3 and final > 3000"
        ref={input}
        role="combobox"
        spellCheck={false}
        value={draft}
      />
      {draft !== "" && (
        <button
          aria-label="Clear the query"
          className="absolute top-1 right-1 inline-flex size-6 items-center justify-center rounded-md text-ink-faint hover:bg-sunken hover:text-ink"
          onClick={() => {
            setDraft("")
            onQuery("")
          }}
          type="button"
        >
          <Icon name="close" size={12} />
        </button>
      )}
      {error && (
        <p className="mt-1 text-[13px] text-bad" id={`${id}-error`} role="alert">
          {error.message} <span className="text-ink-soft">{error.remedy}</span>
        </p>
      )}
      {shown && (
        <div
          aria-label="What may come next"
          className="rising absolute top-9 left-0 z-30 max-h-80 w-[min(440px,90vw)] overflow-auto rounded-xl border border-line bg-raised p-1.5 shadow-pop"
          id={`${id}-list`}
          role="listbox"
        >
          {offers.map(({ text, label, hint }, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box, which names it
            <div
              aria-selected={index === chosen}
              className={classes(
                "flex cursor-pointer items-baseline gap-3 rounded-lg px-2.5 py-1 text-[13px]",
                index === chosen ? "bg-sunken" : "hover:bg-sunken",
              )}
              id={`${id}-${index}`}
              key={label}
              onMouseDown={(event) => {
                event.preventDefault()
                take(text)
              }}
              role="option"
            >
              <span className="font-mono">{label}</span>
              <span className="min-w-0 truncate text-ink-faint">{hint}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
