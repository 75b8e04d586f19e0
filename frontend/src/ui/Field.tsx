import { type InputHTMLAttributes, type ReactNode, useId, useState } from "react"
import { classes } from "@/ui/classes"

const INPUT =
  "h-10 w-full min-w-0 rounded-lg border bg-surface px-3 text-ink transition-colors placeholder:text-ink-faint hover:border-ink-faint read-only:bg-sunken read-only:text-ink-soft"

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "id"> {
  label: string
  hint?: ReactNode
  /** What is wrong with the value; read out with the field. */
  error?: string | null
}

/** A line to fill in, with its label, a hint, and what is wrong with it. */
export function Field({ label, hint, error, className, ...rest }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div className={className}>
      <label className="mb-1 block font-medium text-[13px]" htmlFor={id}>
        {label}
      </label>
      <input
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        className={classes(INPUT, error ? "border-bad" : "border-line-strong")}
        id={id}
        {...rest}
      />
      {hint && (
        <p className="mt-1 text-[13px] text-ink-faint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="mt-1 text-[13px] text-bad" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

export const SHORTEST_PASSWORD = 15
const NEW_PASSWORD = `At least ${SHORTEST_PASSWORD} characters. A few words that do not belong together are easy to remember.`

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** A password that is chosen now, not one that exists. */
  fresh?: boolean
  error?: string | null
}

/** A password, hidden until it is asked for. Password managers need to know whether it is new. */
export function PasswordField({ label, value, onChange, fresh = false, error }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <div className="relative">
      <Field
        autoComplete={fresh ? "new-password" : "current-password"}
        error={error}
        hint={fresh ? NEW_PASSWORD : undefined}
        label={label}
        maxLength={fresh ? 128 : undefined}
        minLength={fresh ? SHORTEST_PASSWORD : undefined}
        onChange={(event) => onChange(event.target.value)}
        required
        type={shown ? "text" : "password"}
        value={value}
      />
      <button
        aria-label={`${shown ? "Hide" : "Show"} ${label.toLowerCase()}`}
        aria-pressed={shown}
        className="absolute top-0 right-0 rounded px-1 text-[13px] text-accent hover:underline"
        onClick={() => setShown(!shown)}
        type="button"
      >
        {shown ? "Hide" : "Show"}
      </button>
    </div>
  )
}
