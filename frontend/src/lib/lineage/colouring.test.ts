import { expect, it } from "vitest"
import { memberMark, sequentialColour } from "@/lib/colour"
import { colouring } from "@/lib/lineage/colouring"
import { decodeSpan, type Lineage } from "@/lib/lineage/spans"
import { decodeSeries, emptySeries } from "@/lib/series"
import { metricSeries, runLineage } from "@/testing/samples"

const wire = runLineage()
const lineage: Lineage = { ...wire, spans: wire.spans.map(decodeSpan) }
const returns = decodeSeries(metricSeries())
const last = lineage.spans[5]!

it("colours by returns between the lowest and the highest", () => {
  const { colourOf, legend } = colouring("return", lineage, returns, "light")
  expect(legend).toEqual({ low: 0, high: 503, logarithmic: false })
  expect(colourOf(lineage.spans[3]!, 5)).toBe(sequentialColour(1, "light"))
  expect(colourOf(last, null)).toBeNull()
})

it("has no scale before the first evaluation", () =>
  expect(colouring("return", lineage, emptySeries("r"), "light").legend).toBeNull())

it("colours by founder", () =>
  expect(colouring("founder", lineage, returns, "dark").colourOf(last, null)).toBe(
    memberMark(0, "dark").colour,
  ))

it("colours by a hyper-parameter between its bounds, on its own scale", () => {
  const { colourOf, legend } = colouring("policy_learning_rate", lineage, returns, "light")
  expect(legend).toEqual({ low: 1e-4, high: 1e-2, logarithmic: true })
  expect(colourOf(last, null)).toBe(sequentialColour(Math.log(2) / Math.log(100), "light"))
})
