import { expect, it } from "vitest"
import { describeReasons } from "@/lib/lineage/reasons"

it("tells PB2's prediction with its deviation, then the rest", () => {
  const reasons = {
    predicted_mean: 0.5,
    predicted_deviation: 0.125,
    acquisition: 0.75,
    "bandit_weight/augmentation": 1.5,
  }
  expect(describeReasons(reasons)).toEqual([
    { label: "predicted", value: "0.5 ± 0.125" },
    { label: "acquisition", value: "0.75" },
    { label: "bandit weight of augmentation", value: "1.5" },
  ])
})

it("leaves out what was not known", () =>
  expect(describeReasons({ predicted_mean: 1, predicted_deviation: Number.NaN, mix: Number.NaN })).toEqual([
    { label: "predicted mean", value: "1" },
  ]))

it("keeps a deviation that stands alone", () =>
  expect(describeReasons({ noise_deviation: 0.25 })).toEqual([{ label: "noise deviation", value: "0.25" }]))
