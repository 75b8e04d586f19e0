import { useMutation, useQueryClient } from "@tanstack/react-query"
import { deleteStudy } from "@/api/generated/sdk.gen"
import { isActive, type StudySummary } from "@/api/types"
import { Belonging } from "@/features/account/Belonging"
import { useWhyNotChange } from "@/features/account/useMe"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { formatAge } from "@/lib/format"
import { shownStatus, verbsOf } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { Panel } from "@/ui/Panel"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"
import { notify, notifyFailure } from "@/ui/Toasts"

interface StudyListProps {
  studies: readonly StudySummary[]
  chosen: readonly number[]
  onChoose: (ids: number[]) => void
}

/** All studies; checked ones are drawn over each other. */
export function StudyList({ studies, chosen, onChoose }: StudyListProps) {
  const now = useNow(10_000)
  return (
    <Panel flush hint="Check several to draw them over each other" title="Studies">
      <ul className="max-h-72 divide-y divide-line overflow-y-auto border-line border-t">
        {studies.map((study) => {
          const on = chosen.includes(study.id)
          return (
            <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 sm:px-5" key={study.id}>
              <label className="flex min-w-0 grow basis-56 cursor-pointer items-center gap-3">
                <input
                  aria-label={`Show ${study.name}, study ${study.id}`}
                  checked={on}
                  className="size-4 shrink-0 accent-accent"
                  onChange={() =>
                    onChoose(on ? chosen.filter((id) => id !== study.id) : [...chosen, study.id])
                  }
                  type="checkbox"
                />
                <span className="min-w-0">
                  <span className="block truncate font-medium">{study.name}</span>
                  <span className="block truncate text-[13px] text-ink-faint">
                    {[study.machine?.device_name, study.worker_name, formatAge(study.created_at, now)]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                  <span className="block truncate text-[13px] text-ink-faint">
                    <Belonging owner={study.owner} project={study.project} />
                  </span>
                </span>
              </label>
              {isActive(study.status) && (
                <span className="w-40 min-w-0">
                  <Progress label={`Cells of ${study.name}`} share={study.done / study.total} />
                  <span
                    className="mt-1 block truncate text-[12px] text-ink-faint"
                    title={study.progress ?? ""}
                  >
                    {study.progress ?? "waiting"}
                  </span>
                </span>
              )}
              <span className="numeric text-[13px] text-ink-soft">{`${study.done} / ${study.total} cells`}</span>
              <StatusChip status={shownStatus(study)} />
              <VerbButtons
                owned={study}
                of={`study ${study.id}`}
                size="small"
                target={{ kind: "study", id: study.id, name: study.name }}
                verbs={verbsOf(study).filter((verb) => verb !== "extend")}
              />
              {!isActive(study.status) && <Delete study={study} />}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function Delete({ study }: { study: StudySummary }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteStudy({ path: { id: study.id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `${study.name} is deleted` })
      await queryClient.invalidateQueries({ queryKey: ["studies"] })
    },
    onError: (error) => notifyFailure("The study could not be deleted", error),
  })
  return (
    <ConfirmDialog
      confirm="Delete"
      onConfirm={() => remove.mutate()}
      title={`Delete ${study.name}?`}
      trigger={
        <Button
          aria-label={`Delete study ${study.id}`}
          busy={remove.isPending}
          icon="trash"
          reason={useWhyNotChange(study)}
          size="small"
          variant="ghost"
        >
          Delete
        </Button>
      }
    >
      {`Its ${study.done} measured cells are removed for good.`}
    </ConfirmDialog>
  )
}
