import type { WorkerSlot } from "@/api/types"
import { WorkerJobLink } from "@/features/workers/WorkerJobLink"
import { classes } from "@/ui/classes"

/** The slots of a worker, and the job in each. */
export function SlotList({ slots }: { slots: readonly WorkerSlot[] }) {
  return (
    <ul aria-label="Slots" className="mt-4 space-y-1">
      {slots.map((slot) => (
        <li
          className={classes(
            "flex min-w-0 items-center gap-3 rounded-lg px-3 py-1.5 text-[13px]",
            slot.is_free ? "bg-sunken text-ink-faint" : "bg-accent-soft",
          )}
          key={slot.number}
        >
          <span className="numeric shrink-0 text-ink-faint">{`Slot ${slot.number}`}</span>
          {slot.job ? (
            <WorkerJobLink job={slot.job} />
          ) : (
            <span>{slot.is_free ? "free" : "a job of another project"}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
