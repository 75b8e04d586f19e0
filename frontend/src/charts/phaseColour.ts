import { memberMark, type Theme } from "@/lib/colour"
import { PHASES, type Phase } from "@/lib/phases"

/** Eleven phases, eight colours: those that rarely show have their own. */
const EXTRA: Record<Theme, Partial<Record<Phase, string>>> = {
  light: { video: "#8d5a3b", checkpoint: "#7a4fb5", other: "#b4c0bc" },
  dark: { video: "#c79a7b", checkpoint: "#b794f6", other: "#4a5a57" },
}
const REGULAR = PHASES.filter((phase) => !(phase in EXTRA.light))

/** Colour of a phase, the same in chart and table. */
export function phaseColour(phase: Phase, theme: Theme): string {
  return EXTRA[theme][phase] ?? memberMark(REGULAR.indexOf(phase), theme).colour
}
