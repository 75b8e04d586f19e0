import { Link } from "@tanstack/react-router"
import type { Summary } from "@/api/types"
import { Sparkline } from "@/charts/Sparkline"
import { Age, Method } from "@/features/experiments/cells"
import type { Selection } from "@/features/experiments/useSelection"
import { formatPercent, formatSteps } from "@/lib/format"
import { shownStatus } from "@/lib/lifecycle"
import { Progress } from "@/ui/Progress"
import { StatusChip } from "@/ui/StatusChip"

interface ExperimentCardsProps<T extends Summary> {
  experiments: T[]
  /** The one number of a card. */
  figure: (experiment: T) => string
  /** Cards can be selected where there is one. */
  selection?: Selection
}

/** The table's rows for narrow screens. */
export function ExperimentCards<T extends Summary>({
  experiments,
  figure,
  selection,
}: ExperimentCardsProps<T>) {
  return (
    <ul className="divide-y divide-line">
      {experiments.map((experiment) => (
        <li className="flex items-start" key={experiment.id}>
          {selection && (
            <input
              aria-label={`Select ${experiment.name}`}
              checked={selection.ids.has(experiment.id)}
              className="mt-4.5 ml-4 size-4 shrink-0 accent-accent"
              onChange={() => selection.toggle(experiment.id)}
              type="checkbox"
            />
          )}
          <Link
            className="block min-w-0 grow px-4 py-3.5 transition-colors hover:bg-sunken"
            params={{ id: experiment.id }}
            to="/experiments/$id"
          >
            <div className="flex items-start justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{experiment.name}</span>
              <StatusChip status={shownStatus(experiment)} />
            </div>
            <p className="mt-0.5 truncate text-[13px] text-ink-faint">
              {experiment.environment} · <Method experiment={experiment} /> · {experiment.population_size} ×{" "}
              {experiment.replicates}
            </p>
            {experiment.error_message && (
              <p className="mt-1 truncate text-[13px] text-bad">{experiment.error_message}</p>
            )}
            <div className="mt-2 flex items-end justify-between gap-4">
              <div className="min-w-0 grow">
                <Progress
                  label={`Progress of ${experiment.name}`}
                  share={experiment.step / Math.max(1, experiment.total_steps)}
                  tone={
                    experiment.status === "failed"
                      ? "bad"
                      : experiment.status === "stopped"
                        ? "quiet"
                        : "accent"
                  }
                />
                <p className="numeric mt-1.5 flex justify-between text-[13px] text-ink-soft">
                  <span>
                    {formatPercent(experiment.step / Math.max(1, experiment.total_steps))} of{" "}
                    {formatSteps(experiment.total_steps)}
                  </span>
                  <Age timestamp={experiment.created_at} />
                </p>
              </div>
              <div className="flex flex-col items-end">
                <Sparkline
                  height={24}
                  label={`Best return over time, ${experiment.name}`}
                  values={experiment.sparkline}
                  width={72}
                />
                <span className="numeric font-medium text-[13px]">{figure(experiment)}</span>
              </div>
            </div>
          </Link>
        </li>
      ))}
    </ul>
  )
}
