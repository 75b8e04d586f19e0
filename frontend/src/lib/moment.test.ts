import { describe, expect, it } from "vitest"
import type { LogLine } from "@/api/types"
import type { Film } from "@/lib/films"
import { filmsAt, lineAt } from "@/lib/moment"

function lines(...texts: string[]): LogLine[] {
  return texts.map((text, line) => ({
    id: line,
    attempt: 1,
    rank: 0,
    line,
    wall: line,
    stream: text.startsWith("worker") ? "supervisor" : "trainer",
    text,
    created_at: "2026-01-01T00:00:00Z",
  }))
}

describe("the log line of a step", () => {
  const log = lines(
    "compiled",
    "step 1,000 of 3,000 after 2.0 s: return 5.0 best",
    "step 1,000: members replaced: 2 by 0",
    "step 2,000 of 3,000 after 4.0 s: return 6.0 best",
    "worker: step 9",
  )

  it("is the last that names it or an earlier step", () => {
    expect(lineAt(log, 1999)).toBe(2)
    expect(lineAt(log, 2000)).toBe(3)
    expect(lineAt(log, 1_000_000)).toBe(3)
  })

  it("is none before the first", () => {
    expect(lineAt(log, 999)).toBeNull()
    expect(lineAt([], 5)).toBeNull()
  })

  it("is that of the attempt which printed it last", () => {
    const resumed = lines(
      "step 1,000 of 3,000",
      "step 2,000 of 3,000",
      "step 2,000 of 3,000",
      "step 3,000 of 3,000",
    )
    expect(lineAt(resumed, 2500)).toBe(2)
    expect(lineAt(resumed, 1500)).toBe(0)
  })
})

describe("the films of a step", () => {
  const films = [4000, 2000, 2000, 0].map((step, id) => ({ id, step }) as Film)

  it("are all of the nearest filmed one", () => {
    expect(filmsAt(films, 2900).map(({ id }) => id)).toEqual([1, 2])
    expect(filmsAt(films, 9000).map(({ id }) => id)).toEqual([0])
    expect(filmsAt([], 5)).toEqual([])
  })
})
