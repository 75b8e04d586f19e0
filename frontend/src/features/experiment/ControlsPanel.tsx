import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { controlsQuery } from "@/api/controls"
import { createOnce } from "@/api/createOnce"
import { startControls } from "@/api/generated/sdk.gen"
import type { Control } from "@/api/generated/types.gen"
import type { Run } from "@/api/types"
import { formatValue } from "@/lib/format"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { notifyFailure } from "@/ui/Toasts"

const KINDS: Record<Control["kind"], string> = {
  schedule: "The schedule it found, on fresh members",
  fixed: "Its final values, fixed from the start",
  random_search: "Random search with as many members",
}
const ANSWERS: Record<Control["answer"], string> = {
  helped: "tuning was better",
  harmed: "tuning was worse",
  unclear: "no clear difference",
  pending: "no result yet",
}

/** Whether tuning helped a finished run, by controls that spend as much; one button starts them. */
export function ControlsPanel({ run }: { run: Run }) {
  const queryClient = useQueryClient()
  const { data } = useQuery(controlsQuery(run.id))
  const start = useMutation({
    mutationFn: () =>
      createOnce(
        async (headers) =>
          (await startControls({ path: { id: run.id }, body: {}, headers, throwOnError: true })).data,
      ),
    onSuccess: (newest) =>
      queryClient.setQueryData(controlsQuery(run.id).queryKey, { newest, why_not: null }),
    onError: (error) => notifyFailure("The controls could not be started", error),
  })
  if (!data) return null
  const { newest, why_not } = data
  if (!newest) {
    if (why_not) return null
    return (
      <Panel
        actions={
          <Button disabled={start.isPending} onClick={() => start.mutate()} size="small">
            Start the controls
          </Button>
        }
        title="Did tuning help?"
      >
        <p className="text-ink-soft">
          Three experiments with the same size, budget and replicates tell: the schedule that was found, its
          final values, and random search.
        </p>
      </Panel>
    )
  }
  return (
    <Panel hint={newest.headline} title="Did tuning help?">
      <div className="overflow-x-auto">
        <table className="w-full min-w-[32rem] text-left">
          <thead>
            <tr className="text-[13px] text-ink-faint">
              <th className="py-1 pr-4 font-medium">Control</th>
              <th className="py-1 pr-4 font-medium">Answer</th>
              <th className="py-1 pr-4 text-right font-medium">Tuned minus control</th>
              <th className="py-1 text-right font-medium">95 %</th>
            </tr>
          </thead>
          <tbody>
            {newest.controls.map((control) => (
              <ControlRow control={control} key={control.kind} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="mt-2 space-y-1 text-[13px] text-ink-faint">
        {newest.caveats.map(({ kind, text }) => (
          <li key={`${kind} ${text}`}>{text}</li>
        ))}
      </ul>
    </Panel>
  )
}

function ControlRow({ control }: { control: Control }) {
  const { kind, experiment_id, answer, difference, status } = control
  const hasInterval = difference?.low != null && difference.high != null
  return (
    <tr className="border-line border-t">
      <td className="py-1.5 pr-4">
        <Link className="hover:underline" params={{ id: experiment_id }} to="/experiments/$id">
          {KINDS[kind]}
        </Link>
      </td>
      <td className="py-1.5 pr-4">
        {answer === "pending" ? `${ANSWERS[answer]} (${status})` : ANSWERS[answer]}
      </td>
      <td className="numeric py-1.5 pr-4 text-right">{difference ? formatValue(difference.value) : "–"}</td>
      <td className="numeric py-1.5 text-right">
        {hasInterval ? `${formatValue(difference.low)} to ${formatValue(difference.high)}` : "–"}
      </td>
    </tr>
  )
}
