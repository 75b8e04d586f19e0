import { expect, it, vi } from "vitest"
import { createCursor, mapCursor } from "@/lib/cursor"

it("notifies every listener once per move", () => {
  const cursor = createCursor()
  const first = vi.fn()
  const second = vi.fn()
  cursor.subscribe(first)
  const leave = cursor.subscribe(second)
  cursor.move(3)
  cursor.move(3)
  leave()
  cursor.move(null)
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 1])
  expect(cursor.read()).toBeNull()
})

it("is one cursor in several units", () => {
  const seconds = createCursor()
  const steps = mapCursor(
    seconds,
    (second) => second * 100,
    (step) => step / 100,
  )
  const heard = vi.fn()
  steps.subscribe(heard)
  seconds.move(2)
  expect(steps.read()).toBe(200)
  steps.move(700)
  expect(seconds.read()).toBe(7)
  steps.move(null)
  expect(seconds.read()).toBeNull()
  expect(heard).toHaveBeenCalledTimes(3)
})
