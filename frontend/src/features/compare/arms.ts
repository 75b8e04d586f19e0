/** How arms look: the same colour and line pattern in every panel. */

import type { Arm } from "@/api/types"
import { type Mark, memberMark, type Theme } from "@/lib/colour"

export interface MarkedArm extends Mark {
  arm: Arm
}

export function markArms(arms: readonly Arm[], theme: Theme): MarkedArm[] {
  return arms.map((arm, index) => ({ arm, ...memberMark(index, theme) }))
}
