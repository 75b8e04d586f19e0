import { memberMark, type Theme } from "@/lib/colour"
import { PHASES, type Phase } from "@/lib/phases"

/** Ten phases, eight colours: the two that rarely show share the quiet grey's neighbours. */
const EXTRA: Record<Theme, Partial<Record<Phase, string>>> = {
  light: { checkpoint: "#7a4fb5", other: "#b4c0bc" },
  dark: { checkpoint: "#b794f6", other: "#4a5a57" },
}

/** Colour of a phase, the same in chart and table. */
export function phaseColour(phase: Phase, theme: Theme): string {
  return EXTRA[theme][phase] ?? memberMark(PHASES.indexOf(phase), theme).colour
}
