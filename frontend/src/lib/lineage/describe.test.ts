import { expect, it } from "vitest"
import { describeChange, describeReasons } from "@/lib/lineage/describe"

it("writes factors with a sign of multiplication", () => {
  expect(describeChange("x1.2")).toBe("×1.2")
  expect(describeChange("1-x x0.8")).toBe("1-x ×0.8")
  expect(describeChange("inherit")).toBe("kept")
})

it("shows PB2's prediction with its deviation, then the rest", () => {
  const reasons = {
    acquisition: 0.75,
    "bandit_weight/augmentation": 1.5,
    predicted_deviation: 0.125,
    predicted_mean: 0.5,
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

it("says of CEM-RL whether a policy was trained, and of DvD what the coefficient became", () => {
  expect(describeReasons({ elite_weight: 0.75, trained: 1 })).toEqual([
    { label: "weights", value: "sampled, then trained" },
    { label: "elite weight of its predecessor", value: "0.75" },
  ])
  expect(describeReasons({ elite_weight: 0, trained: 0 })[0]!.value).toBe("sampled")
  const dvd = { arm_0: 0.25, "arm_0.5": 0.5, coefficient: 0.5, coefficient_before: 0, log_determinant: -2 }
  expect(describeReasons(dvd)).toEqual([
    { label: "coefficient", value: "0 → 0.5" },
    { label: "log determinant", value: "−2" },
    { label: "success of arm 0", value: "0.25" },
    { label: "success of arm 0.5", value: "0.5" },
  ])
})
