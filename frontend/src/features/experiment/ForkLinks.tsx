import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { forksQuery } from "@/api/forks"
import type { Experiment, Run } from "@/api/types"
import { formatInteger, formatSlot } from "@/lib/format"
import { Icon } from "@/ui/Icon"

const LINK = "rounded font-medium text-ink underline-offset-2 hover:underline"

interface ForkLinksProps {
  experiment: Experiment
  run: Run
}

/** What the experiment was forked from, and what was forked from the run that is shown; nothing where neither is. */
export function ForkLinks({ experiment, run }: ForkLinksProps) {
  const { data: forks } = useQuery(forksQuery(run.id))
  const sources = experiment.started_from
  if (sources.length === 0 && !forks?.length) return null
  return (
    <section aria-label="Forks" className="space-y-1 text-[13px] text-ink-soft">
      {sources.map(({ experiment_id, run_id, experiment: name, step, members }) => (
        <p className="flex items-center gap-1.5" key={`${run_id} ${step} ${members.join(" ")}`}>
          <Icon name="fork" size={14} />
          <span>
            Began with the weights of {members.map(formatSlot).join(", ")} of{" "}
            {experiment_id === null ? (
              "a run that is gone or not yours to see"
            ) : (
              <Link
                className={LINK}
                params={{ id: experiment_id }}
                search={{ run: run_id ?? undefined }}
                to="/experiments/$id"
              >
                {name}
              </Link>
            )}{" "}
            at step <span className="numeric">{formatInteger(step)}</span>
          </span>
        </p>
      ))}
      {forks && forks.length > 0 && (
        <p className="flex items-start gap-1.5">
          <span className="mt-0.5">
            <Icon name="fork" size={14} />
          </span>
          <span>
            Forked into{" "}
            {forks.map(({ id, name, step, members }, place) => (
              <span key={`${id} ${step} ${members.join(" ")}`}>
                {place > 0 && ", "}
                <Link className={LINK} params={{ id }} to="/experiments/$id">
                  {name}
                </Link>{" "}
                (<span className="numeric">{id}</span>, from step{" "}
                <span className="numeric">{formatInteger(step)}</span>)
              </span>
            ))}
          </span>
        </p>
      )}
    </section>
  )
}
