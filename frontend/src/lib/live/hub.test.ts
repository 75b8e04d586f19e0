import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createHub, type Hub, type Subject } from "@/lib/live/hub"
import { FakeEventSource } from "@/testing/FakeEventSource"

beforeEach(() => {
  FakeEventSource.opened = []
  vi.stubGlobal("EventSource", FakeEventSource)
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function listen(hub: Hub, kind: Subject["kind"], id: number, after: string | null) {
  const heard: unknown[] = []
  const onConnection = vi.fn<(connected: boolean) => void>()
  const close = hub.follow(
    { kind, id, after },
    { onMessage: ({ event, position }) => heard.push(`${event} ${position}`), onConnection },
  )
  return { heard, onConnection, close }
}

function say(event: string, position: string, kind: Subject["kind"] = "run", id = 7) {
  FakeEventSource.last.say(event, {}, position, { kind, id })
}

it("opens one stream for all, each from where its follower stands", () => {
  const hub = createHub()
  const study = listen(hub, "study", 2, "1-4")
  const eighth = listen(hub, "run", 8, null)
  const seventh = listen(hub, "run", 7, "1-9")
  listen(hub, "environment_check", 5, "3-3")
  listen(hub, "evaluation", 1, "2-2")
  vi.advanceTimersByTime(100)
  expect(FakeEventSource.opened.map(({ url }) => decodeURIComponent(url))).toEqual([
    "/api/v1/events?runs=7,8&studies=2&evaluations=1&environment_checks=5&after=1-9,,1-4,2-2,3-3",
  ])
  say("metrics", "1-10")
  say("measured", "1-5", "study", 2)
  say("status", "", "run", 8)
  expect([study.heard, eighth.heard, seventh.heard]).toEqual([
    ["measured 1-5"],
    ["status null"],
    ["metrics 1-10"],
  ])
})

it("goes on where each stands when somebody comes, goes, or the server refused", () => {
  const hub = createHub()
  const { close, onConnection } = listen(hub, "run", 7, "1-9")
  vi.advanceTimersByTime(100)
  say("metrics", "1-10")
  listen(hub, "run", 8, "2-1")
  vi.advanceTimersByTime(100)
  expect(FakeEventSource.opened[0]!.readyState).toBe(FakeEventSource.CLOSED)
  expect(decodeURIComponent(FakeEventSource.last.url)).toBe("/api/v1/events?runs=7,8&after=1-10,2-1")
  FakeEventSource.last.refuse()
  expect(onConnection).toHaveBeenLastCalledWith(false)
  vi.advanceTimersByTime(2000)
  expect(FakeEventSource.opened).toHaveLength(3)
  FakeEventSource.last.onopen?.()
  expect(onConnection).toHaveBeenLastCalledWith(true)
  FakeEventSource.last.readyState = FakeEventSource.CONNECTING
  FakeEventSource.last.onerror?.()
  vi.advanceTimersByTime(60_000)
  expect(FakeEventSource.opened).toHaveLength(3) // the browser tries again by itself
  close()
  vi.advanceTimersByTime(100)
  expect(FakeEventSource.last.url).toBe("/api/v1/events?runs=8&after=2-1")
})

it("sends a late subscriber what came since, and nobody anything twice", () => {
  const hub = createHub()
  const first = listen(hub, "run", 7, "1-9")
  vi.advanceTimersByTime(100)
  for (const position of ["1-10", "1-11", "1-12"]) say("metrics", position)
  const same = listen(hub, "run", 7, "1-9")
  const later = listen(hub, "run", 7, "1-11")
  const newer = listen(hub, "run", 7, "1-13")
  vi.advanceTimersByTime(100)
  expect(FakeEventSource.opened).toHaveLength(1)
  say("metrics", "1-13")
  expect(first.heard).toEqual(["metrics 1-10", "metrics 1-11", "metrics 1-12", "metrics 1-13"])
  expect([same.heard, later.heard, newer.heard]).toEqual([
    first.heard,
    ["metrics 1-12", "metrics 1-13"],
    ["metrics 1-13"],
  ])
  for (let seq = 14; seq < 400; seq += 1) say("metrics", `1-${seq}`)
  expect(listen(hub, "run", 7, "1-9").heard).toEqual([]) // forgotten: its follower sees the gap
  expect(listen(hub, "run", 7, "1-398").heard).toEqual(["metrics 1-399"])
  first.close()
  say("metrics", "1-400")
  expect(first.heard).toHaveLength(390)
})
