/** Runtime studies for tests. */

import type { Measurement, Study } from "@/api/types"

export function measurement(change: Partial<Measurement> = {}): Measurement {
  return {
    algorithm: "td3",
    framework: "torch",
    strategy: "sequential",
    compiled: false,
    population_size: 1,
    fused_updates: 50,
    batch_size: 256,
    hidden: [256, 256],
    status: "ok",
    reason: null,
    milliseconds: [2, 2],
    median: 2,
    low: 2,
    high: 2,
    calls: 1,
    compile_seconds: 1.5,
    peak_memory_bytes: 4e8,
    processes: 1,
    note: null,
    ...change,
  }
}

export function study(change: Partial<Study> = {}): Study {
  return {
    stream: null,
    id: 1,
    name: "figure2-td3-sac-smoke",
    description: "Figure 2.",
    status: "finished",
    is_pausing: false,
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    started_at: "2026-01-01T00:00:00Z",
    finished_at: "2026-01-01T00:05:00Z",
    worker_name: "bench",
    machine: {
      device: "cpu",
      device_name: "A chip, fast",
      device_count: 1,
      cores: 2,
      memory_bytes: 8e9,
      versions: { jax: "0.10.2", torch: "2.13.0" },
    },
    done: 2,
    total: 2,
    progress: null,
    error: null,
    remedy: null,
    spec: {},
    yaml: "kind: runtime_study\n",
    measurements: [
      measurement(),
      measurement({ population_size: 4, median: 8 }),
      measurement({ framework: "jax", strategy: "sharded", population_size: 4, median: 2 }),
    ],
    ...change,
  }
}
