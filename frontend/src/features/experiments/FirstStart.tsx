import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { presetsQuery, workersQuery } from "@/api/queries"
import { useCreateExperiment } from "@/features/creation/useCreateExperiment"
import { RiverIllustration } from "@/features/experiments/RiverIllustration"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"

export const FIRST_PRESET = "td3-pbt-pendulum-smoke"

/** What a newcomer sees: what this is, and one button. */
export function FirstStart() {
  const presets = useQuery(presetsQuery)
  const workers = useQuery(workersQuery)
  const create = useCreateExperiment()
  const preset = presets.data?.find(({ name }) => name === FIRST_PRESET)
  const nobody = workers.data?.every(({ state }) => state === "lost")
  return (
    <div className="mx-auto max-w-5xl">
      <title>Phylon</title>
      <section className="overflow-hidden rounded-card border border-line bg-surface shadow-card">
        <RiverIllustration />
        <div className="px-6 pt-2 pb-8 text-center sm:px-12 sm:pb-12">
          <h1 className="text-balance font-semibold text-3xl tracking-tight">Watch a population learn</h1>
          <p className="mx-auto mt-3 max-w-xl text-balance text-[15px] text-ink-soft">
            Phylon trains a whole population of agents as one program and shows live who descends from whom,
            and which hyper-parameters each lineage lived through.
          </p>
          <div className="mt-7 flex flex-wrap items-center justify-center gap-3">
            <Button
              aria-label={`Start ${FIRST_PRESET}`}
              busy={create.isPending}
              disabled={!preset}
              icon="play"
              onClick={() => preset && create.mutate({ yaml: preset.yaml, group: false })}
              size="large"
              variant="primary"
            >
              Start
            </Button>
            <Link className={buttonStyle("secondary", "large")} to="/new">
              New experiment
            </Link>
          </div>
          <p className="mt-4 text-[13px] text-ink-faint">
            <code className="rounded bg-sunken px-1.5 py-0.5 text-ink-soft">{FIRST_PRESET}</code> · eight TD3
            agents swing up a pendulum, about a minute on two CPU cores
          </p>
          {presets.isError && (
            <p className="mt-3 text-bad">The presets could not be loaded: {presets.error.message}</p>
          )}
          {nobody && (
            <p className="mx-auto mt-5 inline-flex items-center gap-2 rounded-lg bg-warn-soft px-3 py-2 text-[13px] text-warn">
              <Icon name="alert" />
              <span>
                No worker is connected. Start one with <code>phylon worker</code>; until then runs wait in the
                queue.
              </span>
            </p>
          )}
        </div>
      </section>
      <ol className="mt-6 grid gap-4 sm:grid-cols-3">
        {STEPS.map(({ title, text }, index) => (
          <li className="rounded-card border border-line bg-surface p-5 shadow-card" key={title}>
            <span className="numeric eyebrow text-accent">{`0${index + 1}`}</span>
            <h2 className="mt-1 font-semibold">{title}</h2>
            <p className="mt-1 text-ink-soft">{text}</p>
          </li>
        ))}
      </ol>
    </div>
  )
}

const STEPS = [
  {
    title: "Describe it once",
    text: "One YAML file says environment, algorithm, population and budget. It is checked as you type.",
  },
  {
    title: "Watch it live",
    text: "Return curves and the lineage river grow while the population trains, on one shared time axis.",
  },
  {
    title: "Read the schedule",
    text: "Pick any descendant: its ancestry lights up, and the hyper-parameters that made it are drawn.",
  },
]
