/** Numbers and times as people read them. Every function answers "–" for what is not known. */

const UNKNOWN = "–"

type Maybe = number | null | undefined

function known(value: Maybe): value is number {
  return value !== null && value !== undefined && !Number.isNaN(value)
}

/** 950, 12k, 1.25M: counts of steps. */
export function formatCount(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  const size = Math.abs(value)
  if (size >= 1e9) return `${trim(value / 1e9)}G`
  if (size >= 1e6) return `${trim(value / 1e6)}M`
  if (size >= 1e4) return `${trim(value / 1e3)}k`
  return Math.round(value).toLocaleString("en-US")
}

/** 950, 4.5k, 635k, 1.25M: environment steps. */
export function formatSteps(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  return Math.abs(value) >= 1e3 && Math.abs(value) < 1e4 ? `${trim(value / 1e3)}k` : formatCount(value)
}

/** Every step, not one rounded away: 12,500. */
export function formatInteger(value: Maybe): string {
  return known(value) ? Math.round(value).toLocaleString("en-US") : UNKNOWN
}

/** A round number beside an axis or a scale: −1,600, 0.25, 1e-4, 2.5M. */
export function formatTick(value: Maybe): string {
  if (!known(value) || !Number.isFinite(value)) return formatValue(value)
  const size = Math.abs(value)
  if (size >= 1e6) return minus(formatCount(value))
  if (size >= 100) return minus(Math.round(value).toLocaleString("en-US"))
  if (size > 0 && size < 1e-3) return formatValue(value)
  return minus(String(Number(value.toPrecision(3))))
}

/** Seconds with one decimal while they are few: 5.6 s, 3 min 20 s. */
export function formatSeconds(seconds: Maybe): string {
  if (known(seconds) && seconds > 0 && seconds < 59.95)
    return `${seconds < 1 ? trim(seconds) : seconds.toFixed(1)} s`
  return formatDuration(seconds)
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)))
}

/** A measured quantity with three to four significant digits: -146.2, 0.0031, 1.2e-5. */
export function formatValue(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞"
  if (value === 0) return "0"
  const size = Math.abs(value)
  if (size >= 1e6 || size < 1e-3)
    return minus(
      value
        .toExponential(2)
        .replace("e+", "e")
        .replace(/\.?0+e/, "e"),
    )
  if (size >= 1e4) return minus(Math.round(value).toLocaleString("en-US"))
  if (size >= 100) return minus(value.toFixed(1))
  return minus(String(Number(value.toPrecision(3))))
}

/** A hyper-parameter: its name where the value stands for one, else the number. */
export function formatParameter(value: number | undefined, names: readonly string[] | null): string {
  return (value !== undefined && names?.[value]) || formatValue(value)
}

function minus(text: string): string {
  return text.replace(/^-/, "−")
}

export function formatPercent(share: Maybe): string {
  if (!known(share)) return UNKNOWN
  return `${share > 0 && share < 0.01 ? "<1" : Math.floor(share * 100)}%`
}

/** 8 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(seconds: Maybe): string {
  if (!known(seconds) || !Number.isFinite(seconds)) return UNKNOWN
  const whole = Math.max(0, Math.round(seconds))
  const parts: [number, string][] = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ]
  const first = parts.findIndex(([amount]) => amount > 0)
  if (first < 0) return seconds > 0 && seconds < 0.5 ? `${trim(seconds)} s` : "0 s"
  return parts
    .slice(first, first + 2)
    .filter(([amount], index) => index === 0 || amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ")
}

/** 0:07, 12:05, 1:02:03: the time of a log line. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const tail = String(rest).padStart(2, "0")
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`
}

/** "just now", "5 min ago", "3 d ago". */
export function formatAge(timestamp: string | null, now: number): string {
  if (timestamp === null) return UNKNOWN
  const seconds = (now - Date.parse(timestamp)) / 1000
  if (seconds < 5) return "just now"
  return `${formatDuration(seconds).split(" ").slice(0, 2).join(" ")} ago`
}

export function formatBytes(bytes: Maybe): string {
  if (!known(bytes)) return UNKNOWN
  const units = ["B", "kB", "MB", "GB", "TB"]
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : trim(value)} ${units[unit]}`
}

/** A position on the x-axis in words. */
export function formatPosition(value: number, axis: "steps" | "wall"): string {
  return axis === "steps" ? `step ${Math.round(value).toLocaleString("en-US")}` : formatDuration(value)
}

/** `policy_learning_rate` → `policy learning rate`. */
export function formatName(name: string): string {
  return name.replaceAll("_", " ")
}

/** A member is called by its slot, the number that logs and the API use too. */
export function formatSlot(slot: number): string {
  return `M${slot}`
}

/** A mean with half its interval: 812.4 ± 30.2. The mean alone where there is no interval. */
export function formatWithInterval(mean: number, low: number, high: number): string {
  const half = (high - low) / 2
  return Number.isFinite(half) ? `${formatValue(mean)} ± ${formatValue(half)}` : formatValue(mean)
}
