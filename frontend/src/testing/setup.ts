/** What a browser has and the test environment lacks: sizes, a canvas, and an event stream. */

import { cleanup, configure } from "@testing-library/react"
import { afterEach, beforeEach, vi } from "vitest"
import { FakeEventSource } from "@/testing/FakeEventSource"

// Waiting ends when the page is ready; a busy machine must not decide a test.
configure({ asyncUtilTimeout: 15_000 })

/** Accepts every drawing call; only text has a size. */
function fakeContext(): CanvasRenderingContext2D {
  const known: Record<string, unknown> = {
    measureText: () => ({ width: 10 }),
    canvas: document.createElement("canvas"),
  }
  return new Proxy(known, {
    get: (target, name: string) => target[name] ?? (() => undefined),
    set: (target, name: string, value) => {
      target[name] = value
      return true
    },
  }) as unknown as CanvasRenderingContext2D
}

class FakePath2D {
  moveTo() {}
  lineTo() {}
  rect() {}
  arc() {}
  closePath() {}
  addPath() {}
}

beforeEach(() => {
  localStorage.clear()
  FakeEventSource.opened = []
  vi.stubGlobal("EventSource", FakeEventSource)
  vi.stubGlobal("Path2D", FakePath2D)
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation(fakeContext as never)
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 900, 400))
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})
