import { useNavigate } from "@tanstack/react-router"
import type { GroupExperiment } from "@/api/types"
import { Sparkline } from "@/charts/Sparkline"
import { Name, StepProgress } from "@/features/experiments/cells"
import { SortHeader } from "@/features/experiments/SortHeader"
import { formatCount, formatValue } from "@/lib/format"
import { StatusChip } from "@/ui/StatusChip"

const CELL = "h-14 border-line border-b px-3 first:pl-5 last:pr-5"

const HEADINGS = [
  { title: "Experiment", numeric: false },
  { title: "Status", numeric: false },
  { title: "Environment", numeric: false },
  { title: "Progress", numeric: false },
  { title: "Return", numeric: false },
  { title: "Score", numeric: true },
  { title: "Samples", numeric: true },
  { title: "Steps/s", numeric: true },
]

/** The experiments in the order of the spec. */
export function GroupTable({ experiments }: { experiments: GroupExperiment[] }) {
  const navigate = useNavigate()
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 text-left">
        <thead>
          <tr>
            {HEADINGS.map(({ title, numeric }) => (
              <SortHeader direction={false} key={title} numeric={numeric} onToggle={null}>
                {title}
              </SortHeader>
            ))}
          </tr>
        </thead>
        <tbody>
          {experiments.map((experiment) => (
            <tr
              className="cursor-pointer transition-colors hover:bg-sunken"
              key={experiment.id}
              onClick={() => navigate({ to: "/experiments/$id", params: { id: experiment.id } })}
            >
              <td className={CELL}>
                <Name experiment={experiment} />
              </td>
              <td className={CELL}>
                <StatusChip status={experiment.status} />
              </td>
              <td className={CELL}>{experiment.environment}</td>
              <td className={CELL}>
                <StepProgress experiment={experiment} />
              </td>
              <td className={CELL}>
                <Sparkline
                  label={`Best return over time, ${experiment.name}`}
                  values={experiment.sparkline}
                />
              </td>
              <td className={`${CELL} text-right`}>
                <span className="numeric font-medium">{formatValue(experiment.score)}</span>
                {experiment.score !== null && (
                  <span
                    className="block text-[13px] text-ink-faint"
                    title={
                      experiment.is_final
                        ? "In episodes that no selection saw"
                        : "At the last evaluation in training"
                    }
                  >
                    {experiment.is_final ? "final return" : "last return"}
                  </span>
                )}
              </td>
              <td className={`${CELL} numeric text-right`}>{experiment.samples || "–"}</td>
              <td className={`${CELL} numeric text-right`}>{formatCount(experiment.env_steps_per_second)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
