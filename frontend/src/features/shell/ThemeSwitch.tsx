import { chooseTheme, type ThemeChoice, useThemeChoice } from "@/lib/theme"
import { IconButton } from "@/ui/Button"
import type { IconName } from "@/ui/Icon"

const NEXT: Record<ThemeChoice, ThemeChoice> = { system: "light", light: "dark", dark: "system" }
const ICONS: Record<ThemeChoice, IconName> = { system: "system", light: "sun", dark: "moon" }

/** Goes round system, light, dark. */
export function ThemeSwitch() {
  const choice = useThemeChoice()
  return (
    <IconButton
      aria-label={`Theme: ${choice}. Switch to ${NEXT[choice]}`}
      icon={ICONS[choice]}
      onClick={() => chooseTheme(NEXT[choice])}
    />
  )
}
