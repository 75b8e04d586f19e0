import { Link } from "@tanstack/react-router"
import type { SpeedAdvice } from "@/api/types"
import { sizesOf, speedDetail, speedVerdict } from "@/lib/advice"
import { formatValue } from "@/lib/format"
import { classes } from "@/ui/classes"

const CELL = "px-2 py-0.5 text-right first:pl-0 first:text-left"

/** The cost of members as measured by a study: a sentence, its numbers, and their source. */
export function SpeedNote({ speed, members }: { speed: SpeedAdvice; members: number }) {
  const free = speed.nearly_free_up_to
  return (
    <div className="min-w-0">
      <p className="font-medium">{speedVerdict(speed)}</p>
      <p className="text-[13px] text-ink-soft">{speedDetail(speed, members)}</p>
      <div className="my-1.5 overflow-x-auto">
        <table className="numeric border-separate border-spacing-0 text-[13px]">
          <tbody>
            <tr className="text-ink-faint">
              <th className={classes(CELL, "font-normal")} scope="row">
                members
              </th>
              {speed.points.map(({ population_size: size }) => (
                <td className={classes(CELL, free > 1 && size <= free && "text-good")} key={size}>
                  {size}
                </td>
              ))}
            </tr>
            <tr>
              <th className={classes(CELL, "font-normal text-ink-faint")} scope="row">
                ms per update
              </th>
              {speed.points.map(({ population_size: size, milliseconds, strategy }) => (
                <td className={CELL} key={size} title={strategy}>
                  {formatValue(milliseconds)}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p className="text-[13px] text-ink-faint">
        {"By study "}
        <Link className="underline" search={{ ids: [speed.study_id] }} to="/studies">
          {speed.study_name}
        </Link>
        {`, ${sizesOf(speed)}`}
      </p>
    </div>
  )
}
