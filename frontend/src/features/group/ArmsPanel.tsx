import type { Group } from "@/api/types"
import { ArmIntervals } from "@/charts/ArmIntervals"
import { memberMark } from "@/lib/colour"
import { formatValue } from "@/lib/format"
import { useTheme } from "@/lib/theme"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"

/** Methods or settings beside each other: never one average over them. */
export function ArmsPanel({ group }: { group: Group }) {
  const theme = useTheme()
  const rows = group.experiments.flatMap(({ id, name, score, low, high }, index) =>
    score === null
      ? []
      : [{ key: String(id), label: name, value: score, low, high, dots: [], ...memberMark(index, theme) }],
  )
  return (
    <Panel
      hint="Mean scores with 95 % intervals; its experiments are arms, so they are not averaged"
      title="Arms"
    >
      {group.comparable && rows.length > 0 ? (
        <ArmIntervals
          label={rows.map(({ label, value }) => `${label} ${formatValue(value)}`).join(", ")}
          rows={rows}
          unit="return"
        />
      ) : (
        <Empty compact title={rows.length === 0 ? "No evaluation yet" : "These returns are not on one scale"}>
          {rows.length === 0
            ? "Scores appear after the first evaluation."
            : "Some experiments have different environments. Compare them environment by environment."}
        </Empty>
      )}
    </Panel>
  )
}
