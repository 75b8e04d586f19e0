/** The theme's colours as values, for canvases, which cannot read CSS variables by themselves. */

import { useMemo } from "react"
import type { Theme } from "@/lib/colour"
import { useTheme } from "@/lib/theme"

const NAMES = [
  "ink",
  "ink-soft",
  "ink-faint",
  "line",
  "line-strong",
  "surface",
  "sunken",
  "accent",
  "warn",
  "bad",
] as const

export type Palette = Record<(typeof NAMES)[number], string> & { theme: Theme }

export function usePalette(): Palette {
  const theme = useTheme()
  return useMemo(() => {
    const style = getComputedStyle(document.documentElement)
    const values = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim() || "#888888"])
    return { ...Object.fromEntries(values), theme } as Palette
  }, [theme])
}
