import { useState } from "react"
import type { PlannedExperiment } from "@/api/generated/types.gen"
import { Button } from "@/ui/Button"

const FIRST = 12

/** What a group or a sweep becomes: each experiment, and what is different in it. */
export function PlannedExperiments({ experiments }: { experiments: readonly PlannedExperiment[] }) {
  const [all, setAll] = useState(false)
  const paths = [...new Set(experiments.flatMap(({ changes }) => Object.keys(changes)))]
  return (
    <div className="overflow-x-auto">
      <table aria-label="Experiments that will be submitted" className="w-full text-left text-[13px]">
        <thead>
          <tr>
            {["Experiment", ...paths, "Runs"].map((heading) => (
              <th
                className="border-line border-b px-3 py-2 font-medium text-ink-faint first:pl-5"
                key={heading}
                scope="col"
              >
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {experiments.slice(0, all ? undefined : FIRST).map(({ name, changes, runs }) => (
            <tr key={name}>
              <th
                className="max-w-80 truncate border-line border-b px-3 py-1.5 pl-5 font-medium"
                scope="row"
                title={name}
              >
                {name}
              </th>
              {paths.map((path) => (
                <td className="numeric whitespace-nowrap border-line border-b px-3" key={path}>
                  {path in changes ? written(changes[path]) : ""}
                </td>
              ))}
              <td className="numeric border-line border-b px-3">{runs}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!all && experiments.length > FIRST && (
        <Button className="m-3" onClick={() => setAll(true)} size="small" variant="ghost">
          {`Show all ${experiments.length}`}
        </Button>
      )}
    </div>
  )
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
