/** The columns of the table. Each is named as the query language names it, so that sorting is the service's. */

import type { ReactNode } from "react"
import type { Row } from "@/api/types"
import { Sparkline } from "@/charts/Sparkline"
import { Age, GroupLink, Method, Name, StepProgress, Tags } from "@/features/experiments/cells"
import { formatCount, formatValue } from "@/lib/format"
import { shownStatus } from "@/lib/lifecycle"
import { StatusChip } from "@/ui/StatusChip"

export interface Column {
  id: string
  header: string
  /** What the service sorts by; none for a column that has no order. */
  sort: string | null
  numeric: boolean
  cell: (row: Row) => ReactNode
}

const KNOWN: readonly Column[] = [
  {
    id: "name",
    header: "Experiment",
    sort: "name",
    numeric: false,
    cell: (row) => (
      <Name experiment={row}>
        <GroupLink group={row.group} />
        <Tags tags={row.tags} />
      </Name>
    ),
  },
  {
    id: "status",
    header: "Status",
    sort: "status",
    numeric: false,
    cell: (row) => <StatusChip status={shownStatus(row)} />,
  },
  text("environment", "Environment", (row) => row.environment),
  { ...text("method", "Method"), cell: (row) => <Method experiment={row} /> },
  number("population", "Population", (row) => `${row.population_size} × ${row.replicates}`),
  {
    id: "progress",
    header: "Progress",
    sort: "progress",
    numeric: false,
    cell: (row) => <StepProgress experiment={row} />,
  },
  number("final", "Final", (row) => (
    <span className="font-medium" title="Winner, in episodes that no selection saw">
      {formatValue(row.final_return)}
    </span>
  )),
  number("last", "Last", (row) => (
    <span title="Best member at the last evaluation in training">{formatValue(row.last_return)}</span>
  )),
  number("best", "Best", (row) => (
    <span title="Best of any member at any evaluation in training">{formatValue(row.best_return)}</span>
  )),
  {
    id: "return",
    header: "Return",
    sort: null,
    numeric: false,
    cell: (row) => <Sparkline label={`Best return over time, ${row.name}`} values={row.sparkline} />,
  },
  { ...number("speed", "Steps/s", (row) => formatCount(row.env_steps_per_second)), sort: null },
  text("owner", "Owner", (row) => row.owner.name),
  text("project", "Project", (row) => row.project.name),
  { ...text("created", "Created"), cell: (row) => <Age timestamp={row.created_at} /> },
  {
    ...text("ended", "Ended"),
    cell: (row) =>
      row.ended_at ? <Age timestamp={row.ended_at} /> : <span className="text-ink-faint">–</span>,
  },
  number("id", "Number", (row) => row.id),
]

function text(id: string, header: string, cell: Column["cell"] = () => null): Column {
  return {
    id,
    header,
    sort: id,
    numeric: false,
    cell: (row) => <span className="whitespace-nowrap">{cell(row)}</span>,
  }
}

function number(id: string, header: string, cell: Column["cell"]): Column {
  return { id, header, sort: id, numeric: true, cell: (row) => <span className="numeric">{cell(row)}</span> }
}

export const CHOICE = KNOWN.map(({ id, header }) => ({ id, header }))

/** The best of a whole run is what luck adds most to, and a laptop's screen has no room for all. */
export const USUAL: readonly string[] = [
  ..."name status environment method population progress final last return owner created".split(" "),
]

/** A column by its name; one that is not known is a value of the spec or a metric. */
export function findColumn(id: string): Column {
  const known = KNOWN.find((column) => column.id === id)
  if (known) return known
  return {
    id,
    header: id.replace(/^(spec|metric)\./, ""),
    sort: id,
    numeric: true,
    cell: (row) => {
      const value = row.values[id]
      return (
        <span className="numeric whitespace-nowrap">
          {typeof value === "string" ? value : formatValue(value)}
        </span>
      )
    },
  }
}

/** What the rows must bring along beside what all have. */
export function valuesOf(columns: readonly string[]): string[] {
  return columns.filter((id) => id.startsWith("spec.") || id.startsWith("metric."))
}
