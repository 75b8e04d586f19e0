import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { experimentsQuery } from "@/api/queries"
import type { Row } from "@/api/types"
import { Sparkline } from "@/charts/Sparkline"
import { Age } from "@/features/experiments/cells"
import { formatPercent, formatValue } from "@/lib/format"
import { Panel } from "@/ui/Panel"
import { Progress } from "@/ui/Progress"
import { Failure, Loading } from "@/ui/States"
import { StatusChip } from "@/ui/StatusChip"

interface ExperimentPanelProps {
  title: string
  query: string
  sort: string
  shown: number
  /** Said where there is none. */
  empty: string
}

export function ExperimentPanel({ title, query, sort, shown, empty }: ExperimentPanelProps) {
  const request = useMemo(() => ({ query, sort, columns: [] }), [query, sort])
  const found = useQuery(experimentsQuery(request, 0, shown))
  const total = found.data?.total ?? 0
  return (
    <Panel
      actions={
        total > 0 && (
          <Link
            className="numeric rounded text-[13px] text-ink-soft hover:text-ink hover:underline"
            search={{ query, sort }}
            to="/experiments"
          >
            {total > shown ? `All ${total}` : "In the table"}
          </Link>
        )
      }
      flush
      title={title}
    >
      {found.isPending && <Loading label={`Loading: ${title}`} lines={3} />}
      {found.isError && (
        <Failure error={found.error} onRetry={found.refetch} title="These experiments could not be loaded" />
      )}
      {found.data && total === 0 && <p className="px-5 pt-1 pb-5 text-ink-faint">{empty}</p>}
      {total > 0 && (
        <ul className="divide-y divide-line border-line border-t">
          {found.data?.items.map((row) => (
            <li key={row.id}>
              <Item row={row} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Item({ row }: { row: Row }) {
  const share = row.step / Math.max(1, row.total_steps)
  const running = row.status === "running"
  return (
    <Link
      className="block px-4 py-3 transition-colors hover:bg-sunken sm:px-5"
      params={{ id: row.id }}
      to="/experiments/$id"
    >
      <div className="flex items-center gap-3">
        <span className="min-w-0 grow truncate font-medium">{row.name}</span>
        {!running && <StatusChip status={row.status} />}
        {running && row.sparkline.length > 1 && (
          <Sparkline
            height={22}
            label={`Best return over time, ${row.name}`}
            values={row.sparkline}
            width={72}
          />
        )}
      </div>
      {row.error_message && <p className="mt-0.5 line-clamp-2 text-[13px] text-bad">{row.error_message}</p>}
      <div className="numeric mt-1 flex items-center gap-3 text-[13px] text-ink-soft">
        <span className="min-w-0 truncate">{row.environment}</span>
        <span className="ml-auto whitespace-nowrap">
          {row.final_return === null
            ? `last ${formatValue(row.last_return)}`
            : `final ${formatValue(row.final_return)}`}
        </span>
        {running ? <span>{formatPercent(share)}</span> : <Age timestamp={row.ended_at ?? row.created_at} />}
      </div>
      {running && (
        <Progress className="mt-1.5" label={`Progress of ${row.name}`} share={share} tone="accent" />
      )}
    </Link>
  )
}
