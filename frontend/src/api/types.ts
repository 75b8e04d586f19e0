/** Objects of the API as the interface uses them: the generated types, with numbers decoded. */

import type {
  ExperimentRead,
  ExperimentSummary,
  GroupExperiment as GroupExperimentRead,
  GroupRead,
  RunRead,
} from "@/api/generated/types.gen"
import { decodeOptional, decodeRecord } from "@/lib/decode"

export type {
  AdviceRead as Advice,
  AggregateRead as Aggregate,
  ArtifactRead as Artifact,
  EnvironmentEntry as Environment,
  Estimate,
  ExperimentStatus,
  Forecast,
  GroupSummary,
  Health,
  LogLineRead as LogLine,
  Machine,
  Measurement,
  Preset,
  ProblemRead as Problem,
  RewindEvent,
  RunEvent,
  RunStatus,
  Space,
  SpecReport,
  SpeedAdvice,
  StudyNews,
  StudyRead as Study,
  StudySummary,
  WorkerAdvice,
  WorkerRead as Worker,
} from "@/api/generated/types.gen"

/** What resolving did to a field: a default filled in, or a length moved to the next border. */
export interface SpecNote {
  path: string
  message: string
}

type Decoded<T, Names extends keyof T> = Omit<T, Names> & Record<Names, number | null>

export interface RunFailure {
  message: string
  remedy: string
  member: number | null
  hyperparams: Record<string, number> | null
}

export type Run = Omit<
  Decoded<RunRead, "best_return" | "median_return" | "env_steps_per_second">,
  "error"
> & {
  error: RunFailure | null
}

export type Experiment = Omit<ExperimentRead, "runs"> & { runs: Run[] }

export type Summary = Omit<
  Decoded<ExperimentSummary, "best_return" | "last_return" | "env_steps_per_second">,
  "sparkline"
> & {
  sparkline: number[]
}

export function decodeFailure(wire: NonNullable<RunRead["error"]>): RunFailure {
  const { message, remedy, member, hyperparams } = wire
  return { message, remedy, member, hyperparams: hyperparams && decodeRecord(hyperparams) }
}

export function decodeRun(wire: RunRead): Run {
  return {
    ...wire,
    best_return: decodeOptional(wire.best_return),
    median_return: decodeOptional(wire.median_return),
    env_steps_per_second: decodeOptional(wire.env_steps_per_second),
    error: wire.error && decodeFailure(wire.error),
  }
}

export function decodeExperiment(wire: ExperimentRead): Experiment {
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

export type Group = Omit<GroupRead, "experiments"> & { experiments: GroupExperiment[] }

function decodeGroupExperiment(wire: GroupExperimentRead): GroupExperiment {
  return { ...decodeSummary(wire), final_return: decodeOptional(wire.final_return), samples: wire.samples }
}

export function decodeGroup(wire: GroupRead): Group {
  return { ...wire, experiments: wire.experiments.map(decodeGroupExperiment) }
}

/** A run in one of these states will change by itself. */
export function isActive(status: string): boolean {
  return status === "queued" || status === "dispatched" || status === "running" || status === "stopping"
}
