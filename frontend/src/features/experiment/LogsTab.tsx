import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useVirtualizer } from "@tanstack/react-virtual"
import { useEffect, useRef, useState } from "react"
import { fetchLogPage, LOG_PAGE } from "@/api/queries"
import { isActive, type LogLine, type Run } from "@/api/types"
import { formatClock } from "@/lib/format"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { Panel } from "@/ui/Panel"
import { Select } from "@/ui/Select"
import { Empty, Failure, Loading } from "@/ui/States"

/** What trainer and supervisor printed, live while the run is active. */
export function LogsTab({ run }: { run: Run }) {
  const [attempt, setAttempt] = useState<number | null>(null)
  const [follow, setFollow] = useState(true)
  const active = isActive(run.status)
  const logs = useLogs(run.id, attempt, active)
  const lines = logs.data?.lines ?? []

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
        {lines.length > 0 && <LogLines follow={follow} lines={lines} onScrollBack={() => setFollow(false)} />}
      </div>
    </Panel>
  )
}

interface LogLinesProps {
  lines: readonly LogLine[]
  follow: boolean
  onScrollBack: () => void
}

/** Only visible lines are in the document, so that long logs stay fast. */
function LogLines({ lines, follow, onScrollBack }: LogLinesProps) {
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
              className="absolute inset-x-0 flex gap-3 px-4 hover:bg-line/50"
              data-index={index}
              key={key}
              ref={rows.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="numeric w-14 shrink-0 select-none text-right text-ink-faint">
                {formatClock(line.wall)}
              </span>
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

interface Tail {
  lines: readonly LogLine[]
  next: string | null
}

/** All log lines of a run so far. Only new lines are requested; known ones are kept. */
function useLogs(run: number, attempt: number | null, active: boolean) {
  const queryClient = useQueryClient()
  const queryKey = ["runs", run, "logs", attempt]
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Tail> => {
      let { lines, next } = queryClient.getQueryData<Tail>(queryKey) ?? { lines: [], next: null }
      for (;;) {
        const page = await fetchLogPage(run, attempt, next, signal)
        if (page.items.length > 0) lines = [...lines, ...page.items]
        next = page.next
        if (page.items.length < LOG_PAGE) return { lines, next }
      }
    },
    structuralSharing: false,
    refetchInterval: active ? 1500 : false,
  })
}
