import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"

interface LegendProps {
  arms: readonly MarkedArm[]
  /** What is said of an arm, by its key. */
  note: (key: string) => string
}

export function Legend({ arms, note }: LegendProps) {
  return (
    <ul aria-label="Legend" className="mt-1 flex flex-wrap gap-x-6 gap-y-1.5 text-[13px]">
      {arms.map((marked) => (
        <li className="flex min-w-0 flex-wrap items-baseline gap-x-2" key={marked.arm.key}>
          <ArmName {...marked} />
          <span className="numeric text-ink-faint">{note(marked.arm.key)}</span>
        </li>
      ))}
    </ul>
  )
}
