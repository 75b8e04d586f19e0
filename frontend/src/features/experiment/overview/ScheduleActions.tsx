import type { Stretch } from "@/lib/lineage/ancestry"
import { scheduleYaml } from "@/lib/lineage/scheduleYaml"
import type { Span, TunedParameter } from "@/lib/lineage/spans"
import { saveText } from "@/lib/saveText"
import { Button } from "@/ui/Button"
import { copyText } from "@/ui/copyText"

interface ScheduleActionsProps {
  leaf: Span
  stretches: readonly Stretch[]
  tuned: readonly TunedParameter[]
}

/** Takes the schedule along: as the `population.method` of a spec that trains fresh members on it. */
export function ScheduleActions({ leaf, stretches, tuned }: ScheduleActionsProps) {
  const yaml = scheduleYaml(stretches, tuned)
  if (yaml === null) return null
  return (
    <>
      <Button icon="copy" onClick={() => copyText(yaml, "The schedule is on the clipboard")} size="small">
        Copy YAML
      </Button>
      <Button
        icon="download"
        onClick={() => saveText(`schedule-m${leaf.slot}-s${leaf.id}.yaml`, yaml)}
        size="small"
      >
        Download
      </Button>
    </>
  )
}
