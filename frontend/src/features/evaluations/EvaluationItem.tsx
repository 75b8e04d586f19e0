import { useMutation, useQueryClient } from "@tanstack/react-query"
import { deleteEvaluation } from "@/api/generated/sdk.gen"
import type { EvaluatedPolicy, EvaluationSummary } from "@/api/generated/types.gen"
import { isActive } from "@/api/types"
import { Belonging } from "@/features/account/Belonging"
import { useWhyNotChange } from "@/features/account/useMe"
import { EvaluationTable } from "@/features/evaluations/EvaluationTable"
import { FilmCard } from "@/features/experiment/videos/FilmCard"
import { VerbButtons } from "@/features/lifecycle/VerbButtons"
import { formatAge, formatInteger } from "@/lib/format"
import { shownStatus, verbsOf } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"
import { notify, notifyFailure } from "@/ui/Toasts"

/** One evaluation: how far it is, what its policies earned, and its films. */
export function EvaluationItem({ evaluation }: { evaluation: EvaluationSummary }) {
  const now = useNow(10_000)
  const { id, name, done, total, status } = evaluation
  const facts = [
    evaluation.worker_name,
    `seed ${evaluation.seed}`,
    formatAge(evaluation.created_at, now),
  ].filter(Boolean)
  return (
    <article aria-label={`Evaluation ${id}`} className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-56">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">Evaluation {id}</span>
            <StatusChip status={shownStatus(evaluation)} testId={`evaluation-${id}-status`} />
          </p>
          <p className="numeric truncate text-[13px] text-ink-faint">{facts.join(" · ")}</p>
          <p className="truncate text-[13px] text-ink-faint">
            <Belonging owner={evaluation.owner} project={evaluation.project} />
          </p>
        </div>
        {isActive(status) && (
          <div className="w-44 min-w-0">
            <Progress label={`Episodes of evaluation ${id}`} share={done / total} />
            <p className="numeric mt-1 text-[12px] text-ink-faint">
              {formatInteger(done)} / {formatInteger(total)} episodes
            </p>
          </div>
        )}
        <VerbButtons
          of={`evaluation ${id}`}
          owned={evaluation}
          size="small"
          target={{ kind: "evaluation", id, name }}
          verbs={verbsOf(evaluation).filter((verb) => verb !== "extend")}
        />
        {!isActive(status) && <Delete evaluation={evaluation} />}
      </div>
      {evaluation.error && (
        <div className="rounded-lg bg-bad-soft px-4 py-3" role="alert">
          <p className="font-medium text-bad">{evaluation.error}</p>
          {evaluation.remedy && <p className="text-ink-soft">{evaluation.remedy}</p>}
        </div>
      )}
      <EvaluationTable evaluation={evaluation} />
      <Films policies={evaluation.policies} />
    </article>
  )
}

function whose({ run_id, name }: EvaluatedPolicy): string {
  return run_id === null ? name : `Run ${run_id}`
}

function Films({ policies }: { policies: readonly EvaluatedPolicy[] }) {
  const several = policies.length > 1
  const films = policies.flatMap((policy) => policy.films.map((film) => ({ film, name: whose(policy) })))
  const problems = policies.flatMap((policy) =>
    policy.film_problem ? [{ film_problem: policy.film_problem, name: whose(policy) }] : [],
  )
  return (
    <>
      {problems.map(({ film_problem, name }) => (
        <p className="text-[13px] text-ink-faint" key={name}>
          {name} is not filmed: {film_problem}
        </p>
      ))}
      {films.length > 0 && (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-4">
          {films.map(({ film, name }) => (
            <li className="flex min-w-0 flex-col" key={film.id}>
              <FilmCard
                film={{ ...film, episodeReturn: film.episode_return, episodeSteps: film.episode_steps }}
                title={`${several ? `${name}, episode` : "Episode"} ${film.episode + 1}`}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Delete({ evaluation }: { evaluation: EvaluationSummary }) {
  const queryClient = useQueryClient()
  const { id } = evaluation
  const remove = useMutation({
    mutationFn: () => deleteEvaluation({ path: { id }, throwOnError: true }),
    onSuccess: async () => {
      notify({ tone: "good", title: `Evaluation ${id} is deleted` })
      await queryClient.invalidateQueries({ queryKey: ["evaluations"] })
    },
    onError: (error) => notifyFailure("The evaluation could not be deleted", error),
  })
  return (
    <ConfirmDialog
      confirm="Delete"
      onConfirm={() => remove.mutate()}
      title={`Delete evaluation ${id}?`}
      trigger={
        <Button
          aria-label={`Delete evaluation ${id}`}
          busy={remove.isPending}
          icon="trash"
          reason={useWhyNotChange(evaluation)}
          size="small"
          variant="ghost"
        >
          Delete
        </Button>
      }
    >
      Its results and films are removed for good. The policies stay with their runs.
    </ConfirmDialog>
  )
}
