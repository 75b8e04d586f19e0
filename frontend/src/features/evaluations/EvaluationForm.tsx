import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useId, useState } from "react"
import { createOnce } from "@/api/createOnce"
import { createEvaluation } from "@/api/generated/sdk.gen"
import { environmentsQuery } from "@/api/queries"
import { useSubmission } from "@/features/account/useMe"
import { alikeEnvironments, type Draft, problemsOf, runsIn } from "@/lib/evaluations"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { Select } from "@/ui/Select"
import { notify, notifyFailure } from "@/ui/Toasts"

interface EvaluationFormProps {
  run: number
  /** Where its policy was trained, if that is known. */
  trained: { suite: string; id: string } | undefined
  /** Why there is nothing to evaluate; null where there is. */
  whyNothing: string | null
}

const FIRST: Draft = { episodes: "10", films: "1", environment: "", others: "" }

/** Asks a worker to play a run's policy, alone or beside others. */
export function EvaluationForm({ run, trained, whyNothing }: EvaluationFormProps) {
  const queryClient = useQueryClient()
  const { project, whyNot } = useSubmission()
  const [draft, setDraft] = useState(FIRST)
  const [actions, setActions] = useState<"trained" | "sample" | "mode">("trained")
  const problems = problemsOf(draft)
  const start = useMutation({
    mutationFn: async () => {
      const body = {
        policies: [run, ...runsIn(draft.others)].map((each) => ({ run: each })),
        episodes: Number(draft.episodes),
        films: Number(draft.films),
        environment: draft.environment.trim() || null,
        sample: actions === "trained" ? null : actions === "sample",
        project,
      }
      return (await createOnce((headers) => createEvaluation({ body, headers, throwOnError: true }))).data
    },
    onSuccess: ({ total }) => {
      notify({ tone: "good", title: "The evaluation is queued", detail: `${total} episodes` })
      void queryClient.invalidateQueries({ queryKey: ["evaluations"] })
      void queryClient.invalidateQueries({ queryKey: ["queue"] })
    },
    onError: (error) => notifyFailure("The evaluation could not be started", error),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (Object.keys(problems).length === 0 && !whyNot && !whyNothing) start.mutate()
  }

  const write = (name: keyof Draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [name]: event.target.value })
  return (
    <form className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-4" onSubmit={submit}>
      <Field
        error={problems.episodes}
        inputMode="numeric"
        label="Episodes"
        onChange={write("episodes")}
        value={draft.episodes}
      />
      <Field
        error={problems.films}
        inputMode="numeric"
        label="Films"
        onChange={write("films")}
        value={draft.films}
      />
      <EnvironmentField onChange={write("environment")} trained={trained} value={draft.environment} />
      <Field
        error={problems.others}
        inputMode="numeric"
        label="Beside runs"
        onChange={write("others")}
        placeholder="none; e.g. 8, 9"
        value={draft.others}
      />
      <div className="flex flex-wrap items-center justify-between gap-3 sm:col-span-2 lg:col-span-4">
        <Select
          aria-label="Actions"
          onChange={({ target }) => setActions(target.value as typeof actions)}
          value={actions}
        >
          <option value="trained">Actions as in the run's evaluation</option>
          <option value="mode">The likeliest action</option>
          <option value="sample">Drawn actions</option>
        </Select>
        <Button
          busy={start.isPending}
          disabled={Object.keys(problems).length > 0}
          icon="play"
          reason={whyNothing ?? whyNot}
          type="submit"
          variant="primary"
        >
          Evaluate
        </Button>
      </div>
    </form>
  )
}

interface EnvironmentFieldProps {
  trained: EvaluationFormProps["trained"]
  value: string
  onChange: (event: { target: { value: string } }) => void
}

/** Any may be written; those of the catalogue with the same spaces are offered. */
function EnvironmentField({ trained, value, onChange }: EnvironmentFieldProps) {
  const list = useId()
  const all = useQuery({ ...environmentsQuery, enabled: trained !== undefined }).data ?? []
  const alike = trained ? alikeEnvironments(all, trained.suite, trained.id) : []
  return (
    <>
      <Field
        label="Environment"
        list={list}
        onChange={onChange}
        placeholder={trained?.id ?? "where it was trained"}
        value={value}
      />
      <datalist id={list}>
        {alike.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
