import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openRunStream } from "@/lib/run/openRunStream"
import type { StreamEvent } from "@/lib/run/runView"
import { FakeEventSource } from "@/testing/FakeEventSource"
import { runRead } from "@/testing/samples"

beforeEach(() => {
  FakeEventSource.opened = []
  vi.stubGlobal("EventSource", FakeEventSource)
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function open(after: string | null = "1-9") {
  const batches: StreamEvent[][] = []
  const connection = vi.fn<(connected: boolean) => void>()
  const close = openRunStream({
    run: 7,
    after,
    onEvents: (events) => batches.push(events),
    onConnection: connection,
  })
  return { batches, connection, close }
}

describe("openRunStream", () => {
  it("continues after the last known event, or receives all", () => {
    open()
    expect(FakeEventSource.last.url).toBe("/api/v1/runs/7/events?after=1-9")
    open(null)
    expect(FakeEventSource.last.url).toBe("/api/v1/runs/7/events")
  })

  it("hands a burst over together", () => {
    const { batches } = open()
    FakeEventSource.last.say("stopped", { kind: "stopped", seq: 10, step: 1, wall: 1 }, "1-10")
    FakeEventSource.last.say("rewind", { seq: 3, attempt: 2 })
    FakeEventSource.last.say("status", runRead({ best_return: "NaN" }))
    expect(batches).toEqual([])
    vi.advanceTimersByTime(500)
    expect(batches).toHaveLength(1)
    expect(batches[0]!.map(({ kind }) => kind)).toEqual(["stopped", "rewind", "status"])
    expect(batches[0]![2]).toMatchObject({ run: { best_return: Number.NaN } })
  })

  it("opens a new stream from the last event when the server refused", () => {
    const { connection } = open()
    FakeEventSource.last.say("stopped", { kind: "stopped", seq: 12, step: 1, wall: 1 }, "2-12")
    FakeEventSource.last.refuse()
    expect(connection).toHaveBeenLastCalledWith(false)
    vi.advanceTimersByTime(5000)
    expect(FakeEventSource.opened).toHaveLength(2)
    expect(FakeEventSource.last.url).toBe("/api/v1/runs/7/events?after=2-12")
    FakeEventSource.last.onopen?.()
    expect(connection).toHaveBeenLastCalledWith(true)
  })

  it("leaves reconnecting to the browser while that tries", () => {
    open()
    FakeEventSource.last.readyState = FakeEventSource.CONNECTING
    FakeEventSource.last.onerror?.()
    vi.advanceTimersByTime(60_000)
    expect(FakeEventSource.opened).toHaveLength(1)
  })

  it("says nothing after it was closed", () => {
    const { batches, close } = open()
    FakeEventSource.last.say("stopped", { kind: "stopped", seq: 10, step: 1, wall: 1 })
    close()
    vi.advanceTimersByTime(60_000)
    expect(batches).toEqual([])
    expect(FakeEventSource.last.readyState).toBe(FakeEventSource.CLOSED)
  })
})
