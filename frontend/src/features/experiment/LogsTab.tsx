import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { useEffect, useRef, useState } from "react"
import { attemptsQuery } from "@/api/queries"
import { isActive, type LogLine, type Run } from "@/api/types"
import { MomentNote } from "@/features/experiment/MomentNote"
import { useLogs } from "@/features/experiment/useLogs"
import { formatClock, formatInteger } from "@/lib/format"
import { ENDS } from "@/lib/lifecycle"
import { lineAt } from "@/lib/moment"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/experiments/$id")

/** What trainer and supervisor printed, live while the run is active. */
export function LogsTab({ run }: { run: Run }) {
  const { attempt: wanted, rank = null, at } = route.useSearch()
  const attempt = wanted !== undefined && wanted <= run.attempt ? wanted : null
  const navigate = route.useNavigate()
  const setAttempt = (next: number | null) =>
    navigate({ search: (old) => ({ ...old, attempt: next ?? undefined }), replace: true })
  const [follow, setFollow] = useState(at === undefined)
  const active = isActive(run.status)
  const logs = useLogs(run.id, { attempt, rank }, active)
  const hosts = useHosts(run)
  const lines = logs.data?.lines ?? []
  const marked = at === undefined ? null : lineAt(lines, at)

  return (
    <Panel
      actions={
        <>
          {run.attempt > 1 && (
            <Select
              aria-label="Attempt"
              onChange={(event) => setAttempt(event.target.value === "" ? null : Number(event.target.value))}
              value={attempt ?? ""}
            >
              <option value="">All attempts</option>
              {Array.from({ length: run.attempt }, (_, index) => index + 1).map((number) => (
                <option key={number} value={number}>{`Attempt ${number}`}</option>
              ))}
            </Select>
          )}
          {hosts > 1 && (
            <Select
              aria-label="Host"
              onChange={(event) => {
                const next = event.target.value === "" ? undefined : Number(event.target.value)
                navigate({ search: (old) => ({ ...old, rank: next }), replace: true })
              }}
              value={rank ?? ""}
            >
              <option value="">All hosts</option>
              {Array.from({ length: hosts }, (_, number) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: ranks are numbers
                <option key={number} value={number}>{`Rank ${number}`}</option>
              ))}
            </Select>
          )}
          <Button
            aria-pressed={follow}
            icon="arrowDown"
            onClick={() => setFollow(!follow)}
            size="small"
            variant={follow ? "primary" : "secondary"}
          >
            Follow
          </Button>
        </>
      }
      flush
      hint={run.attempt > 0 && <LogOrigin attempt={attempt} run={run} />}
      title="Logs"
    >
      <div className="border-line border-t">
        {logs.isPending && <Loading label="Loading logs" />}
        {logs.isError && lines.length === 0 && (
          <Failure error={logs.error} onRetry={() => logs.refetch()} title="The logs could not be loaded" />
        )}
        {!logs.isPending && !logs.isError && lines.length === 0 && (
          <Empty title="No log output">
            {active ? "Lines appear here as the trainer prints them." : "This run produced no log output."}
          </Empty>
        )}
        {at !== undefined && lines.length > 0 && (
          <div className="px-4 pt-3 sm:px-5">
            <MomentNote>
              {marked === null
                ? `No line names step ${formatInteger(at)} or an earlier one.`
                : `Marked is the last line about step ${formatInteger(at)} or before.`}
            </MomentNote>
          </div>
        )}
        {lines.length > 0 && (
          <LogLines
            follow={follow}
            lines={lines}
            marked={marked}
            namesAttempts={attempt === null && run.attempt > 1}
            namesRanks={rank === null && hosts > 1}
            onScrollBack={() => setFollow(false)}
          />
        )}
      </div>
    </Panel>
  )
}

/** The most that any attempt had. */
function useHosts(run: Run): number {
  const attempts = useQuery(attemptsQuery(run))
  return Math.max(1, ...(attempts.data ?? []).map((each) => each.ranks.length))
}

/** Which attempt wrote what is shown, and where. */
function LogOrigin({ run, attempt }: { run: Run; attempt: number | null }) {
  const attempts = useQuery(attemptsQuery(run))
  const number = attempt ?? (run.attempt === 1 ? 1 : null)
  if (number === null) return `All ${run.attempt} attempts; the number of each stands before its lines`
  const found = attempts.data?.find((each) => each.number === number)
  if (!found) return `Attempt ${number}`
  const from = found.checkpoint ? `from checkpoint ${found.checkpoint}` : "from the beginning"
  const end = found.end === null ? "goes on" : (ENDS[found.end]?.label ?? found.end).toLowerCase()
  return `Attempt ${number} on ${found.worker_name}, ${from}; ${end}`
}

interface LogLinesProps {
  lines: readonly LogLine[]
  follow: boolean
  /** The line that is looked for. */
  marked: number | null
  /** Whether the number of its attempt stands before each line. */
  namesAttempts: boolean
  /** Whether that of its host does. */
  namesRanks: boolean
  onScrollBack: () => void
}

/** Only visible lines are in the document, so that long logs stay fast. */
function LogLines({ lines, follow, marked, namesAttempts, namesRanks, onScrollBack }: LogLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 22,
    overscan: 20,
  })
  useEffect(() => {
    if (follow && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: "end" })
  }, [follow, lines.length, rows])
  useEffect(() => {
    if (marked !== null) rows.scrollToIndex(marked, { align: "center" })
  }, [marked, rows])
  return (
    <div
      className="h-[min(64vh,720px)] overflow-auto bg-sunken py-2 font-mono text-[12.5px] leading-[22px]"
      onWheel={(event) => event.deltaY < 0 && onScrollBack()}
      ref={scroller}
      role="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index]!
          return (
            <div
              aria-current={index === marked ? "location" : undefined}
              className={classes(
                "absolute inset-x-0 flex gap-3 px-4 hover:bg-line/50",
                index === marked && "bg-accent-soft",
              )}
              data-index={index}
              key={key}
              ref={rows.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="numeric w-14 shrink-0 select-none text-right text-ink-faint">
                {formatClock(line.wall)}
              </span>
              {namesAttempts && (
                <span className="numeric w-6 shrink-0 select-none text-right text-ink-faint" title="Attempt">
                  {line.attempt}
                </span>
              )}
              {namesRanks && (
                <span className="numeric w-6 shrink-0 select-none text-right text-ink-faint" title="Rank">
                  {line.rank}
                </span>
              )}
              <span className="hidden w-20 shrink-0 select-none text-ink-faint sm:inline">{line.stream}</span>
              <span
                className={classes(
                  "whitespace-pre-wrap break-all",
                  line.stream === "supervisor" && "text-ink-soft",
                )}
              >
                {line.text}
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}
