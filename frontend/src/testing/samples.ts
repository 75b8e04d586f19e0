/** A small run as the API returns it: four members, two selections, numbers that one can check by hand. */

import type {
  Ancestry,
  Attempt,
  Experiment,
  ExperimentRow,
  FinalReturn,
  LineageSpan,
  LineageSummary,
  MetricSeries,
  Preset,
  Rank,
  Run,
  RunLineage,
  Schedule,
  Worker,
} from "@/api/generated/types.gen"

/** A list of the API that fits on one page. */
export function pageOf<T>(items: readonly T[]) {
  return { items, total: items.length, next: null }
}

export function runRead(change: Partial<Run> = {}): Run {
  return {
    id: 7,
    experiment_id: 3,
    replicate: 0,
    seed: 0,
    status: "running",
    step: 4000,
    total_steps: 12000,
    attempt: 1,
    attempts: 1,
    max_attempts: 5,
    final: null,
    best_return: -150,
    last_return: -160,
    median_return: -400,
    env_steps_per_second: 3200,
    eta_seconds: 40,
    strategy: "sharded",
    strategy_explanation: "sharded was fastest",
    devices: ["cpu:0", "cpu:1"],
    interruptions: [],
    diverged_members: [],
    error: null,
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    started_at: "2026-01-01T00:00:05Z",
    end_reason: null,
    extended_budget: null,
    is_pausing: false,
    finished_at: null,
    worker_name: "bench",
    last_seq: 9,
    stream: "cursor-9",
    ...change,
  }
}

export function finalReturn(change: Partial<FinalReturn> = {}): FinalReturn {
  return {
    member: 3,
    span: 4,
    mean: 812.4,
    stderr: 15,
    low: 782.3,
    high: 842.5,
    episodes: 50,
    last_return: 850,
    selection_bias: 37.6,
    unseen_levels: false,
    ...change,
  }
}

export function experimentRead(change: Partial<Experiment> = {}): Experiment {
  return {
    id: 3,
    name: "td3-pbt-pendulum-smoke",
    status: "running",
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    spec: { version: 1, description: "Four agents swing up a pendulum." },
    yaml: "version: 1\nname: td3-pbt-pendulum-smoke\n",
    group: null,
    runs: [runRead()],
    tags: [],
    notes: "",
    starred: false,
    archived_at: null,
    started_from: [],
    imported: null,
    ...change,
  }
}

export function summary(change: Partial<ExperimentRow> = {}): ExperimentRow {
  return {
    id: 3,
    name: "td3-pbt-pendulum-smoke",
    status: "running",
    owner: { id: 1, name: "local" },
    project: { id: 1, name: "default" },
    created_at: "2026-01-01T00:00:00Z",
    algorithm: "td3",
    environment: "Pendulum-v1",
    method: "pbt",
    population_size: 4,
    replicates: 1,
    step: 4000,
    total_steps: 12000,
    final_return: null,
    best_return: -150,
    last_return: -160,
    sparkline: [-900, -400, -160],
    error_message: null,
    env_steps_per_second: 3200,
    group: null,
    tags: [],
    starred: false,
    archived_at: null,
    imported: null,
    ended_at: null,
    values: {},
    ...change,
  }
}

export function span(change: Partial<LineageSpan> & Pick<LineageSpan, "id" | "slot">): LineageSpan {
  return {
    parent: null,
    operator: "founder",
    changes: { discount: "draw" },
    hyperparams_before: null,
    hyperparams: { discount: 0.9 + change.id / 100, policy_learning_rate: 10 ** (-4 + change.id / 4) },
    fitness: null,
    parent_fitness: null,
    rank: null,
    weights: "0",
    reasons: {},
    origin: null,
    start_step: 0,
    end_step: null,
    start_wall: 1,
    diverged: null,
    ...change,
  }
}

/**
 * Slot 3 copies slot 0 at step 2000 (span 4), slot 1 copies slot 3 at step 4000 (span 5): founder 0 → 4 → 5.
 */
export function runLineage(): RunLineage {
  return {
    population_size: 4,
    end_step: 6000,
    tuned: [
      { name: "discount", scale: "linear", low: 0.9, high: 0.999, names: null, read: "training" },
      { name: "policy_learning_rate", scale: "log", low: 1e-4, high: 1e-2, names: null, read: "training" },
    ],
    spans: [
      span({ id: 0, slot: 0 }),
      span({ id: 1, slot: 1, end_step: 4000 }),
      span({ id: 2, slot: 2 }),
      span({ id: 3, slot: 3, end_step: 2000 }),
      span({
        id: 4,
        slot: 3,
        parent: 0,
        operator: "perturb",
        changes: { discount: "x1.2", policy_learning_rate: "inherit" },
        hyperparams_before: { discount: 0.9, policy_learning_rate: 1e-4 },
        hyperparams: { discount: 0.94, policy_learning_rate: 1e-4 },
        fitness: -900,
        parent_fitness: -300,
        rank: 3,
        start_step: 2000,
        start_wall: 12,
      }),
      span({
        id: 5,
        slot: 1,
        parent: 4,
        operator: "perturb",
        changes: { discount: "resample", policy_learning_rate: "x0.8" },
        hyperparams_before: { discount: 0.94, policy_learning_rate: 1e-4 },
        hyperparams: { discount: 0.95, policy_learning_rate: 2e-4 },
        fitness: -800,
        parent_fitness: -200,
        rank: 3,
        start_step: 4000,
        start_wall: 20,
      }),
    ],
  }
}

const PATHS: Record<number, readonly (readonly [span: number, from: number, to: number])[]> = {
  3: [[3, 0, 2000]],
  4: [
    [0, 0, 2000],
    [4, 2000, 6000],
  ],
  5: [
    [0, 0, 2000],
    [4, 2000, 4000],
    [5, 4000, 6000],
  ],
}

/** Of spans 3, 4 and 5 of the lineage above. */
export function ancestry(id: 3 | 4 | 5): Ancestry {
  const path = PATHS[id]!.map(([span, start_step, end_step]) => {
    const { slot: member, hyperparams, changes } = runLineage().spans[span]!
    return { span, member, start_step, end_step, hyperparams, changes, gain: null }
  })
  return { span: id, member: path.at(-1)!.member, generations: path.length - 1, path }
}

export function schedule(span: number): Schedule {
  const entries = [{ step: 0, values: { discount: 0.9 } }]
  return {
    span,
    member: 3,
    entries,
    read: { discount: "training" },
    yaml: "name: schedule\nschedule:\n- {step: 0, values: {discount: 0.9}}\n",
  }
}

export function lineageSummary(change: Partial<LineageSummary> = {}): LineageSummary {
  return {
    population_size: 4,
    founders: 4,
    founders_alive: [
      { span: 0, member: 0, share: 0.75 },
      { span: 2, member: 2, share: 0.25 },
    ],
    founder_shares: [],
    common_ancestor: null,
    generations_to_common_ancestor: null,
    exploits: 2,
    living: [
      { member: 0, span: 0, generations: 0 },
      { member: 1, span: 5, generations: 2 },
      { member: 2, span: 2, generations: 0 },
      { member: 3, span: 4, generations: 1 },
    ],
    winner: null,
    operators: [],
    moves: [],
    ...change,
  }
}

/** Values are 100 × tick + slot, so that each shows where it came from. */
export function metricSeries(name = "evaluation/return", members = 4): MetricSeries {
  const steps = [1000, 2000, 3000, 4000, 5000, 6000]
  return {
    name,
    steps,
    wall: [6, 11, 15, 19, 24, 28],
    values: steps.map((_, tick) => Array.from({ length: members }, (_, slot) => 100 * tick + slot)),
    low: [],
    high: [],
    ticks: [],
    is_exact: true,
  }
}

export const PRESET: Preset = {
  name: "td3-pbt-pendulum-smoke",
  description: "Eight TD3 agents learn to swing up a pendulum.",
  smoke: true,
  kind: "training",
  experiments: null,
  yaml: "version: 1\nname: td3-pbt-pendulum-smoke\nenvironment: {suite: gymnasium, id: Pendulum-v1}\n",
}

export function workerRead(change: Partial<Worker> = {}): Worker {
  return {
    id: 1,
    name: "bench",
    device: "cpu",
    device_name: "Two cores",
    device_count: 2,
    memory_bytes: 8e9,
    host_memory_bytes: 8e9,
    versions: { jax: "0.10.2" },
    differing_versions: {},
    suites: ["gymnasium"],
    environments: [],
    slots: [{ number: 0, is_free: false, job: { job_id: 9, kind: "run", id: 7, name: "pendulum" } }],
    labels: [],
    state: "busy",
    reason: null,
    blamed_for: [],
    draining_since: null,
    quarantined_at: null,
    enrolled_by: null,
    last_seen_at: new Date().toISOString(),
    may_operate: true,
    ...change,
  }
}

/** An attempt of two hosts, of which the second takes twice as long. */
export function gangAttempt(change: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    worker_name: "bench",
    ranks: [rankRead(), rankRead({ rank: 1, worker_name: "attic", host: "attic", seconds_per_segment: 2 })],
    began_at: "2026-01-01T00:00:05Z",
    ended_at: null,
    end: null,
    detail: null,
    checkpoint: null,
    from_step: 0,
    to_step: null,
    end_reason: null,
    final: null,
    ...change,
  }
}

export function rankRead(change: Partial<Rank> = {}): Rank {
  return {
    rank: 0,
    worker_name: "bench",
    host: "bench.lab",
    slots: [0],
    phase: "training",
    address: "10.0.0.1:4711",
    heard_at: "2026-01-01T00:01:00Z",
    seconds_per_segment: 1,
    ...change,
  }
}
