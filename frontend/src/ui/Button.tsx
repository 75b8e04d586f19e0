import type { ButtonHTMLAttributes, MouseEvent } from "react"
import { classes } from "@/ui/classes"
import { Icon, type IconName } from "@/ui/Icon"
import { notify } from "@/ui/Toasts"

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger"
export type ButtonSize = "small" | "medium" | "large"

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent shadow-card",
  secondary: "bg-surface text-ink border-line-strong hover:border-ink-faint hover:bg-sunken",
  ghost: "bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-surface text-bad border-line-strong hover:border-bad hover:bg-bad-soft",
}

const SIZES: Record<ButtonSize, string> = {
  small: "h-8 px-2.5 text-[13px] gap-1.5",
  medium: "h-9 px-3.5 gap-2",
  large: "h-11 px-5 text-[15px] gap-2",
}

/** The look of a button, for links that act like one. */
export function buttonStyle(variant: ButtonVariant = "secondary", size: ButtonSize = "medium"): string {
  return classes(
    "inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-lg border font-medium transition-colors",
    "disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
    VARIANTS[variant],
    SIZES[size],
  )
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: IconName
  /** An action is under way: the button waits and says so. */
  busy?: boolean
  /** Why it cannot be used now. It stays reachable by keyboard, and pressing it shows the reason. */
  reason?: string | null
}

export function Button({
  variant,
  size,
  icon,
  busy = false,
  className,
  children,
  disabled,
  reason,
  title,
  onClick,
  ...rest
}: ButtonProps) {
  function explain(event: MouseEvent) {
    event.preventDefault() // also keeps a dialog closed that the button would open
    if (reason) notify({ tone: "info", title: "Not allowed", detail: reason })
  }

  return (
    <button
      aria-busy={busy || undefined}
      aria-disabled={reason ? true : undefined}
      className={classes(buttonStyle(variant, size), className)}
      disabled={disabled || busy}
      onClick={reason ? explain : onClick}
      title={reason ?? title}
      type="button"
      {...rest}
    >
      {busy ? <span className="breathing size-2 rounded-full bg-current" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName
  "aria-label": string
}

export function IconButton({ icon, className, ...rest }: IconButtonProps) {
  return (
    <button
      className={classes(
        "inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink",
        className,
      )}
      title={rest["aria-label"]}
      type="button"
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}
