import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
} from "@tanstack/react-table"
import type { Summary } from "@/api/types"
import { Sparkline } from "@/charts/Sparkline"
import { Age, GroupLink, Method, Name, StepProgress } from "@/features/experiments/cells"
import { formatCount, formatValue } from "@/lib/format"
import { StatusChip } from "@/ui/StatusChip"

export const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
})

const helper = createColumnHelper<typeof features, Summary>()

/** Absent numbers sort to the end in both directions. */
const NUMBER = { sortUndefined: "last", sortFn: "basic", sortDescFirst: true } as const

export const columns = helper.columns([
  helper.accessor("name", {
    header: "Experiment",
    enableHiding: false,
    sortFn: "alphanumeric",
    cell: ({ row }) => (
      <Name experiment={row.original}>
        <GroupLink group={row.original.group} />
      </Name>
    ),
  }),
  helper.accessor("status", {
    header: "Status",
    sortFn: "alphanumeric",
    cell: ({ getValue }) => <StatusChip status={getValue()} />,
  }),
  helper.accessor("environment", { header: "Environment", sortFn: "alphanumeric" }),
  helper.accessor((row) => `${row.algorithm} ${row.method}`, {
    id: "method",
    header: "Method",
    sortFn: "alphanumeric",
    cell: ({ row }) => <Method experiment={row.original} />,
  }),
  helper.accessor((row) => row.population_size * row.replicates, {
    id: "population",
    header: "Population",
    ...NUMBER,
    cell: ({ row }) => (
      <span className="numeric">{`${row.original.population_size} × ${row.original.replicates}`}</span>
    ),
  }),
  helper.accessor((row) => row.step / Math.max(1, row.total_steps), {
    id: "progress",
    header: "Progress",
    ...NUMBER,
    cell: ({ row }) => <StepProgress experiment={row.original} />,
  }),
  helper.accessor((row) => row.best_return ?? undefined, {
    id: "best",
    header: "Best",
    ...NUMBER,
    cell: ({ getValue }) => <span className="numeric font-medium">{formatValue(getValue())}</span>,
  }),
  helper.accessor((row) => row.last_return ?? undefined, {
    id: "last",
    header: "Last",
    ...NUMBER,
    cell: ({ getValue }) => <span className="numeric">{formatValue(getValue())}</span>,
  }),
  helper.display({
    id: "return",
    header: "Return",
    cell: ({ row }) => (
      <Sparkline label={`Best return over time, ${row.original.name}`} values={row.original.sparkline} />
    ),
  }),
  helper.accessor((row) => row.env_steps_per_second ?? undefined, {
    id: "speed",
    header: "Steps/s",
    ...NUMBER,
    cell: ({ getValue }) => <span className="numeric">{formatCount(getValue())}</span>,
  }),
  helper.accessor((row) => Date.parse(row.created_at), {
    id: "age",
    header: "Created",
    ...NUMBER,
    cell: ({ row }) => <Age timestamp={row.original.created_at} />,
  }),
])

/** The columns that a user may leave out. */
export const HIDEABLE = columns
  .filter((column) => column.enableHiding !== false)
  .map((column) => ({
    id: String("accessorKey" in column ? column.accessorKey : column.id),
    label: String(column.header),
  }))
