import { describe, expect, it } from "vitest"
import { Operator } from "@/api/types"
import { addSpans, decodeLineage, decodeSpan, exploits, living, movingParameters } from "@/lib/lineage/spans"
import { runLineage, span } from "@/testing/samples"

const wire = runLineage()
const lineage = decodeLineage(wire)

describe("addSpans", () => {
  const born = decodeSpan(span({ id: 6, slot: 2, parent: 5, start_step: 6000, start_wall: 30 }))

  it("ends the life of the slot's member and begins the child's", () => {
    const next = addSpans(lineage, [born])
    expect(next.spans.find(({ id }) => id === 2)!.end_step).toBe(6000)
    expect(living(next.spans).map(({ id }) => id)).toEqual([0, 5, 6, 4])
  })

  it("leaves the old lineage alone", () => {
    addSpans(lineage, [born])
    expect(lineage.spans.find(({ id }) => id === 2)!.end_step).toBeNull()
  })

  it("changes nothing when the child is known", () =>
    expect(addSpans(lineage, [lineage.spans[4]!])).toBe(lineage))
})

it("lists exploits in time", () => expect(exploits(lineage.spans).map(({ id }) => id)).toEqual([4, 5]))

it("does not take a reset for an exploit", () => {
  const reset = { ...lineage.spans[0]!, id: 9, parent: 0, operator: Operator.RESET }
  expect(exploits([...lineage.spans, reset]).map(({ id }) => id)).toEqual([4, 5])
})

it("decodes numbers of the wire", () => {
  const odd = decodeSpan(span({ id: 1, slot: 0, fitness: "NaN", hyperparams: { a: "Infinity" } }))
  expect(odd.fitness).toBeNaN()
  expect(odd.hyperparams.a).toBe(Number.POSITIVE_INFINITY)
})

it("draws what a method moves beside what the spec tunes", () => {
  expect(movingParameters(lineage)).toBe(lineage.tuned)
  const spans = lineage.spans.map((each, index) => ({
    ...each,
    hyperparams: { ...each.hyperparams, diversity: index < 4 ? 0 : 0.5, fixed: 3 },
  }))
  expect(movingParameters({ ...lineage, spans }).slice(lineage.tuned.length)).toEqual([
    { name: "diversity", scale: "linear", low: 0, high: 0.5, names: null, read: "training" },
  ])
})
