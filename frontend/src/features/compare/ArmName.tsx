import { Link } from "@tanstack/react-router"
import type { MarkedArm } from "@/features/compare/arms"
import { Tag } from "@/ui/StatusChip"

/** The arm's mark and its name, which leads to it. */
export function ArmName({ arm, colour, dash }: MarkedArm) {
  const only = arm.experiments[0]
  const style = "rounded hover:text-accent hover:underline"
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <svg aria-hidden="true" className="shrink-0" height="4" width="22">
        <line stroke={colour} strokeDasharray={dash.join(" ")} strokeWidth="4" x2="22" y1="2" y2="2" />
      </svg>
      {arm.group ? (
        <Link className={style} params={{ id: arm.group.id }} to="/groups/$id">
          {arm.name}
        </Link>
      ) : only ? (
        <Link className={style} params={{ id: only.id }} to="/experiments/$id">
          {arm.name}
        </Link>
      ) : (
        arm.name
      )}
      {only?.imported && <Tag>imported</Tag>}
    </span>
  )
}
