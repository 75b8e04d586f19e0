import { useId } from "react"
import type { ExtensionOutlook } from "@/api/types"
import { type BudgetForm, LIMITS, presentLimit } from "@/lib/extension"
import { formatValue } from "@/lib/format"

interface BudgetFieldsProps {
  outlook: ExtensionOutlook
  form: BudgetForm
  onChange: (form: BudgetForm) => void
}

/** Each limit that the budget has, with its present value beside the new one. */
export function BudgetFields({ outlook, form, onChange }: BudgetFieldsProps) {
  return (
    <div className="space-y-4">
      {LIMITS.map(({ name, label, removable }) => {
        const present = presentLimit(outlook, name)
        if (present === null) return null
        const refusal = name === "env_steps" ? outlook.steps_refusal : null
        return (
          <LimitField
            key={name}
            label={label}
            onChange={(text) => onChange({ ...form, [name]: text })}
            present={name === "env_steps" ? present.toLocaleString("en-US") : formatValue(present)}
            refusal={refusal}
            removable={removable}
            restored={String(present)}
            text={form[name] ?? null}
          />
        )
      })}
      {Boolean(outlook.budget.plateau) && (
        <Removal
          checked={form.plateau === null}
          label="No longer end when the return stops rising"
          onChange={(gone) => onChange({ ...form, plateau: gone ? null : "kept" })}
        />
      )}
    </div>
  )
}

interface LimitFieldProps {
  label: string
  present: string
  text: string | null
  restored: string
  refusal: string | null
  removable: boolean
  onChange: (text: string | null) => void
}

function LimitField({ label, present, text, restored, refusal, removable, onChange }: LimitFieldProps) {
  const id = useId()
  return (
    <div>
      <label className="flex items-baseline justify-between gap-3 font-medium" htmlFor={id}>
        {label}
        <span className="numeric font-normal text-[13px] text-ink-faint">{`now ${present}`}</span>
      </label>
      <input
        aria-describedby={refusal ? `${id}-why` : undefined}
        className="numeric mt-1 h-9 w-full rounded-lg border border-line-strong bg-surface px-3 disabled:opacity-50"
        disabled={refusal !== null || text === null}
        id={id}
        inputMode="decimal"
        onChange={(event) => onChange(event.target.value)}
        value={text ?? "no limit"}
      />
      {refusal && (
        <p className="mt-1 text-[13px] text-warn" id={`${id}-why`}>
          {refusal}
        </p>
      )}
      {removable && (
        <Removal
          checked={text === null}
          label={`No limit of ${label.toLowerCase()}`}
          onChange={(gone) => onChange(gone ? null : restored)}
        />
      )}
    </div>
  )
}

interface RemovalProps {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

function Removal({ label, checked, onChange }: RemovalProps) {
  return (
    <label className="mt-1.5 flex cursor-pointer items-center gap-2 text-[13px] text-ink-soft">
      <input
        checked={checked}
        className="size-4 accent-accent"
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      {label}
    </label>
  )
}
