/** Objects of the API as the interface uses them: the generated types, with numbers decoded. */

import {
  ActiveStatus,
  type ExperimentSummary,
  type Experiment as WireExperiment,
  type ExperimentGroup as WireGroup,
  type GroupExperiment as WireGroupExperiment,
  type Run as WireRun,
  type RunError as WireRunError,
} from "@/api/generated/types.gen"
import { decodeOptional, decodeRecord } from "@/lib/decode"

export type {
  Advice,
  Aggregate,
  Ancestry,
  Artifact,
  Environment,
  Estimate,
  Forecast,
  GroupSummary,
  Health,
  LineageSummary,
  LoggedLine as LogLine,
  Machine,
  Measurement,
  Note as SpecNote,
  Preset,
  Problem,
  Rewind,
  RunEvent,
  Schedule,
  Space,
  SpecReport,
  SpeedAdvice,
  StoredStudy as Study,
  StudySummary,
  Worker,
  WorkerAdvice,
} from "@/api/generated/types.gen"
export {
  EventKind,
  ExperimentStatus,
  JobStatus,
  MetricName,
  Operator,
  Phase,
  WorkerState,
} from "@/api/generated/types.gen"

type Decoded<T, Names extends keyof T> = Omit<T, Names> & Record<Names, number | null>

export type RunFailure = Omit<WireRunError, "hyperparams"> & { hyperparams: Record<string, number> | null }

export type Run = Omit<
  Decoded<WireRun, "best_return" | "median_return" | "env_steps_per_second">,
  "error"
> & {
  error: RunFailure | null
}

export type Experiment = Omit<WireExperiment, "runs"> & { runs: Run[] }

export type Summary = Omit<
  Decoded<ExperimentSummary, "best_return" | "last_return" | "env_steps_per_second">,
  "sparkline"
> & {
  sparkline: number[]
}

export function decodeFailure({ message, remedy, member, hyperparams }: WireRunError): RunFailure {
  return { message, remedy, member, hyperparams: hyperparams && decodeRecord(hyperparams) }
}

export function decodeRun(wire: WireRun): Run {
  return {
    ...wire,
    best_return: decodeOptional(wire.best_return),
    median_return: decodeOptional(wire.median_return),
    env_steps_per_second: decodeOptional(wire.env_steps_per_second),
    error: wire.error && decodeFailure(wire.error),
  }
}

export function decodeExperiment(wire: WireExperiment): Experiment {
  return { ...wire, runs: wire.runs.map(decodeRun) }
}

export function decodeSummary(wire: ExperimentSummary): Summary {
  return {
    ...wire,
    best_return: decodeOptional(wire.best_return),
    last_return: decodeOptional(wire.last_return),
    env_steps_per_second: decodeOptional(wire.env_steps_per_second),
    sparkline: wire.sparkline.map((value) => decodeOptional(value) ?? Number.NaN),
  }
}

export type GroupExperiment = Summary & { final_return: number | null; samples: number }

export type Group = Omit<WireGroup, "experiments"> & { experiments: GroupExperiment[] }

function decodeGroupExperiment(wire: WireGroupExperiment): GroupExperiment {
  return { ...decodeSummary(wire), final_return: decodeOptional(wire.final_return), samples: wire.samples }
}

export function decodeGroup(wire: WireGroup): Group {
  return { ...wire, experiments: wire.experiments.map(decodeGroupExperiment) }
}

const ACTIVE: ReadonlySet<string> = new Set(Object.values(ActiveStatus))

/** Whether a job, experiment or group with this status will still change by itself. */
export function isActive(status: string): boolean {
  return ACTIVE.has(status)
}
