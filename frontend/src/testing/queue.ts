/** A queue as the API returns it: one run of ada's runs, two of hers wait, one of someone else's too. */

import type { Queue, RestingJob, RunningJob, Share, WaitingJob } from "@/api/generated/types.gen"

const JOB = {
  id: 1,
  kind: "run" as const,
  name: "pendulum",
  experiment_id: 1,
  payload_id: 1,
  run_id: 1,
  owner_id: 2,
  owner: "ada",
  project_id: 1,
  project: "vision",
  priority: "normal" as const,
  devices: 1,
  hosts: 1,
  may_change: true,
}
const SINCE = "2026-01-01T00:00:00Z"

export function runningJob(change: Partial<RunningJob> = {}): RunningJob {
  const place = {
    worker_id: 1,
    worker_name: "bench",
    slots: [0],
    others: [],
    since: SINCE,
    expected_end: null,
  }
  return { ...JOB, status: "running", is_pausing: false, ...place, ...change }
}

export function waitingJob(position: number, change: Partial<WaitingJob> = {}): WaitingJob {
  return {
    ...JOB,
    id: 100 + position,
    payload_id: 100 + position,
    run_id: 100 + position,
    name: `waiting ${position}`,
    position,
    since: SINCE,
    reason: "busy",
    explanation: "All devices that could take it are in use, and it is the next.",
    expected_start: null,
    basis: "It waits for jobs of which nobody knows how long they take.",
    ...change,
  }
}

export function restingJob(change: Partial<RestingJob> = {}): RestingJob {
  return {
    ...JOB,
    id: 50,
    payload_id: 50,
    run_id: 50,
    name: "resting",
    status: "failed",
    since: SINCE,
    error: "NaN",
    ...change,
  }
}

export function share(change: Partial<Share> = {}): Share {
  const use = { devices: 1, used_device_hours: 3, used_share: 0.6, entitled_share: 0.5 }
  return { project_id: 1, project: "vision", user_id: null, user: null, weight: 2, ...use, ...change }
}

export function queueRead(change: Partial<Queue> = {}): Queue {
  return {
    slots: 1,
    free_slots: 0,
    running: [runningJob()],
    waiting: [
      waitingJob(1),
      waitingJob(2, { name: null, payload_id: null, run_id: null, experiment_id: null, may_change: false }),
    ],
    waiting_total: 2,
    resting: [],
    shares: [share(), share({ user_id: 2, user: "ada" })],
    ...change,
  }
}
