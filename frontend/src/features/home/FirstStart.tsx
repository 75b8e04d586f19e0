import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { presetsQuery, workersQuery } from "@/api/queries"
import { useCreateExperiment } from "@/features/creation/useCreateExperiment"
import { sequentialColour } from "@/lib/colour"
import { useTheme } from "@/lib/theme"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"

export const FIRST_PRESET = "td3-pbt-pendulum-smoke"

/** The first page of an empty installation: what Phylon is, and one button. */
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
        <LineageIllustration />
        <div className="px-6 pt-2 pb-8 text-center sm:px-12 sm:pb-12">
          <h1 className="text-balance font-semibold text-3xl tracking-tight">Watch a population learn</h1>
          <p className="mx-auto mt-3 max-w-xl text-balance text-[15px] text-ink-soft">
            Phylon trains a whole population of agents as one program and shows live which member descends
            from which, and the hyper-parameters that each lineage was trained with.
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
    title: "Write a spec",
    text: "One YAML file names environment, algorithm, population and budget. It is validated as you type.",
  },
  {
    title: "Watch it live",
    text: "Return curves and the lineage river grow while the population trains, on one shared time axis.",
  },
  {
    title: "Read the schedule",
    text: "Select any descendant: its ancestry is highlighted, and its hyper-parameter schedule is drawn.",
  },
]

/** A made-up lineage: the return of each lane over time, and the copies between lanes. */
const LANES = [
  [0.05, 0.12, 0.2, 0.24, 0.5, 0.62, 0.74, 0.86],
  [0.1, 0.22, 0.4, 0.52, 0.66, 0.78, 0.88, 0.97],
  [0.02, 0.06, 0.38, 0.5, 0.6, 0.7, 0.78, 0.92],
  [0.08, 0.18, 0.26, 0.36, 0.4, 0.72, 0.82, 0.9],
  [0.03, 0.1, 0.14, 0.46, 0.58, 0.6, 0.84, 0.94],
] as const
const COPIES = [
  { at: 2, from: 1, to: 2 },
  { at: 3, from: 1, to: 4 },
  { at: 4, from: 2, to: 0 },
  { at: 5, from: 0, to: 3 },
  { at: 6, from: 1, to: 4 },
] as const

const WIDTH = 1040
const COLUMN = WIDTH / 8
const REACH = 56

function middle(lane: number): number {
  return 40 + lane * 32
}

function LineageIllustration() {
  const theme = useTheme()
  return (
    <svg
      aria-hidden="true"
      className="block w-full bg-sunken"
      preserveAspectRatio="xMidYMid slice"
      style={{ height: 224, maskImage: "linear-gradient(to bottom, black 70%, transparent)" }}
      viewBox={`0 0 ${WIDTH} 216`}
    >
      {LANES.map((pieces, lane) =>
        pieces.map((share, index) => {
          const dies = COPIES.some(({ at, to }) => at === index + 1 && to === lane)
          return (
            <rect
              fill={sequentialColour(share, theme)}
              height={15}
              key={share}
              width={COLUMN + (dies ? -6 : 0.6)}
              x={index * COLUMN}
              y={middle(lane) - 7.5}
            />
          )
        }),
      )}
      {COPIES.map(({ at, from, to }) => {
        const x = at * COLUMN
        const path = `M${x - REACH} ${middle(from)}C${x - REACH * 0.25} ${middle(from)} ${x - REACH * 0.75} ${middle(to)} ${x} ${middle(to)}`
        return (
          <g fill="none" key={`${at}-${to}`} strokeLinecap="round">
            <path className="stroke-sunken" d={path} strokeWidth={6} />
            <path className="stroke-ink" d={path} strokeWidth={2.5} />
            <circle className="fill-ink stroke-sunken" cx={x} cy={middle(to)} r={5.5} strokeWidth={2} />
          </g>
        )
      })}
    </svg>
  )
}
