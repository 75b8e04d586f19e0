import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { attemptsQuery } from "@/api/queries"
import type { Attempt, Run } from "@/api/types"
import { RankList } from "@/features/experiment/RankList"
import { formatAge, formatDuration, formatInteger, formatWithInterval } from "@/lib/format"
import { ENDS } from "@/lib/lifecycle"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"
import { Tag } from "@/ui/StatusChip"

const route = getRouteApi("/experiments/$id")

/** Every worker's time with the run: when, where, from which checkpoint, why it ended. */
export function AttemptsTab({ run }: { run: Run }) {
  const attempts = useQuery(attemptsQuery(run))
  const now = useNow(1000)
  return (
    <Panel
      flush
      hint="One that ends without an outcome is followed by another, from the newest checkpoint"
      title="Attempts"
    >
      {attempts.isPending && <Loading label="Loading the attempts" />}
      {attempts.isError && !attempts.data && (
        <Failure
          error={attempts.error}
          onRetry={() => attempts.refetch()}
          title="The attempts could not be loaded"
        />
      )}
      {attempts.data?.length === 0 && (
        <Empty icon="device" title="No worker has had this run yet">
          The first attempt begins when a worker takes it.
        </Empty>
      )}
      {attempts.data && attempts.data.length > 0 && (
        <ol aria-label="Attempts, the newest first" className="divide-y divide-line border-line border-t">
          {attempts.data.toReversed().map((attempt) => (
            <AttemptRow attempt={attempt} key={attempt.number} now={now} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function AttemptRow({ attempt, now }: { attempt: Attempt; now: number }) {
  const navigate = route.useNavigate()
  const end = attempt.end === null ? null : (ENDS[attempt.end] ?? { label: attempt.end, tone: "neutral" })
  const until = attempt.ended_at === null ? now : Date.parse(attempt.ended_at)
  const lasted = formatDuration((until - Date.parse(attempt.began_at)) / 1000)
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3.5 sm:px-5 md:grid-cols-[minmax(0,3fr)_minmax(0,4fr)_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {`Attempt ${attempt.number}`}
          {end ? <Tag tone={end.tone}>{end.label}</Tag> : <Tag tone="active">Goes on</Tag>}
        </p>
        <p className="numeric truncate text-[13px] text-ink-soft" title={attempt.began_at}>
          {`${attempt.worker_name} · ${formatAge(attempt.began_at, now)} · ${lasted}`}
        </p>
      </div>
      <div className="min-w-0 text-[13px]">
        <p className="numeric">{travelled(attempt)}</p>
        <p className="truncate text-ink-soft" title={attempt.checkpoint ?? undefined}>
          {attempt.checkpoint ? `from checkpoint ${attempt.checkpoint}` : "from the beginning"}
        </p>
        {attempt.final && (
          <p className="numeric text-ink-soft">
            {`Result then: ${formatWithInterval(attempt.final.mean, attempt.final.low, attempt.final.high)}`}
          </p>
        )}
        {attempt.detail && (
          <p className="mt-1 whitespace-pre-line break-words text-ink-soft">{attempt.detail}</p>
        )}
      </div>
      <Button
        aria-label={`Log of attempt ${attempt.number}`}
        className="justify-self-start md:justify-self-end"
        onClick={() =>
          navigate({ search: (old) => ({ ...old, tab: "logs", attempt: attempt.number, rank: undefined }) })
        }
        size="small"
      >
        Log
      </Button>
      {attempt.ranks.length > 0 && (
        <RankList
          ended={attempt.end !== null}
          onLog={(rank) =>
            navigate({ search: (old) => ({ ...old, tab: "logs", attempt: attempt.number, rank }) })
          }
          ranks={attempt.ranks}
        />
      )}
    </li>
  )
}

function travelled({ from_step, to_step, end }: Attempt): string {
  if (end === null) return `On its way from step ${formatInteger(from_step ?? 0)} of each member`
  if (to_step === null) return "No step was reported"
  return `Steps ${formatInteger(from_step ?? 0)} to ${formatInteger(to_step)} of each member`
}
