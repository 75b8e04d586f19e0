/** Advice on a population's size for tests. */

import type { Advice, SpeedAdvice, WorkerAdvice } from "@/api/types"

export function speedAdvice(change: Partial<SpeedAdvice> = {}): SpeedAdvice {
  return {
    study_id: 4,
    study_name: "figure2-td3-sac",
    device_name: "A card",
    hidden: [256, 256],
    batch_size: 256,
    is_same_size: true,
    points: [
      { population_size: 1, milliseconds: 2, strategy: "vectorized" },
      { population_size: 8, milliseconds: 2.5, strategy: "vectorized" },
      { population_size: 16, milliseconds: 6.5, strategy: "vectorized" },
    ],
    single_milliseconds: 2,
    nearly_free_up_to: 8,
    one_more_milliseconds: 0.5,
    ...change,
  }
}

export function workerAdvice(change: Partial<WorkerAdvice> = {}): WorkerAdvice {
  return {
    worker_id: 1,
    worker_name: "bench",
    device: "cpu",
    device_name: "Two cores",
    members: 40,
    limit: "memory",
    needed_bytes: 1e9,
    usable_bytes: 6e9,
    speed: speedAdvice(),
    measuring_study_id: null,
    ...change,
  }
}

export function advice(change: Partial<Advice> = {}): Advice {
  return {
    experiment: "td3-pbt-pendulum-smoke",
    members: 8,
    member_state_bytes: 3e6,
    member_step_bytes: 9e6,
    member_host_bytes: 5e7,
    shared_bytes: 0,
    workers: [workerAdvice()],
    elsewhere: [],
    probe: "kind: runtime_study\n",
    unmeasured: null,
    ...change,
  }
}
