/** Objects of the API as the interface uses them: the generated types, with numbers decoded. */

import {
  ActiveStatus,
  type Attempt as WireAttempt,
  type ValueCount as WireCount,
  type Experiment as WireExperiment,
  type FinalReturn as WireFinalReturn,
  type ExperimentGroup as WireGroup,
  type GroupExperiment as WireGroupExperiment,
  type RestingJob as WireRestingJob,
  type ExperimentRow as WireRow,
  type Run as WireRun,
  type RunError as WireRunError,
} from "@/api/generated/types.gen"
import { decodeNumber, decodeOptional, decodeRecord } from "@/lib/decode"

export type {
  Advice,
  Aggregate,
  Ancestry,
  Arm,
  ArmCurve,
  ArmPair,
  Artifact,
  ComparedBudgets,
  ComparedCurves,
  Comparison,
  Environment,
  Estimate,
  Explanation,
  ExtensionOutlook,
  FieldDescription,
  Forecast,
  GroupSummary,
  Health,
  Hyperparameter,
  HyperparameterExplanation,
  LineageSummary,
  LoggedLine as LogLine,
  Machine,
  Measurement,
  Note as SpecNote,
  PolicyCard,
  Preset,
  Problem,
  Queue,
  Rank,
  Reaching,
  RestingJob,
  Rewind,
  RunEvent,
  RunningJob,
  SavedView,
  Schedule,
  SelectionNoise,
  Share,
  Space,
  SpanOutcome,
  SpecReport,
  SpecSchema,
  SpeedAdvice,
  StoredStudy as Study,
  StudySummary,
  ViewLayout,
  WaitingJob,
  Worker,
  WorkerAdvice,
  WorkerJob,
  WorkerLoad,
  WorkerSlot,
} from "@/api/generated/types.gen"
export {
  BulkAction,
  CurveAxis,
  EventKind,
  ExperimentStatus,
  JobStatus,
  MetricName,
  Operator,
  Phase,
  Priority,
  StatisticName,
  WorkerState,
} from "@/api/generated/types.gen"

type Decoded<T, Names extends keyof T> = Omit<T, Names> & Record<Names, number | null>

export type RunFailure = Omit<WireRunError, "hyperparams"> & { hyperparams: Record<string, number> | null }

type FinalNumber = "mean" | "stderr" | "low" | "high" | "last_return" | "selection_bias"

export type FinalReturn = Omit<WireFinalReturn, FinalNumber> & Record<FinalNumber, number>

export type Run = Omit<
  Decoded<WireRun, "best_return" | "last_return" | "median_return" | "env_steps_per_second">,
  "error" | "final"
> & {
  error: RunFailure | null
  final: FinalReturn | null
}

/** A job in the queue or on a worker, as everyone may see it. */
export type QueueJob = Omit<WireRestingJob, "status" | "since" | "error">

/** One worker's time with a run, or several workers' together. */
export type Attempt = Omit<WireAttempt, "final"> & { final: FinalReturn | null }

export function decodeAttempt(wire: WireAttempt): Attempt {
  return { ...wire, final: wire.final && decodeFinal(wire.final) }
}

export type Experiment = Omit<WireExperiment, "runs"> & { runs: Run[] }

/** What the rows of the table of experiments and those of a group's have in common. */
type ExperimentSummary = Omit<WireGroupExperiment, "score" | "low" | "high" | "is_final" | "samples">

export type Summary = Omit<
  Decoded<ExperimentSummary, "final_return" | "best_return" | "last_return" | "env_steps_per_second">,
  "sparkline"
> & {
  sparkline: number[]
}

/** A row of the table of experiments. */
export type Row = Summary &
  Pick<WireRow, "tags" | "starred" | "archived_at" | "ended_at"> & { values: Record<string, number | string> }

export type Count = Omit<WireCount, "value" | "final_return" | "best_final_return"> & {
  value: number | string | null
  final_return: number | null
  best_final_return: number | null
}

export function decodeFailure({ message, remedy, member, hyperparams }: WireRunError): RunFailure {
  return { message, remedy, member, hyperparams: hyperparams && decodeRecord(hyperparams) }
}

function decodeFinal(wire: WireFinalReturn): FinalReturn {
  return {
    ...wire,
    mean: decodeNumber(wire.mean),
    stderr: decodeNumber(wire.stderr),
    low: decodeNumber(wire.low),
    high: decodeNumber(wire.high),
    last_return: decodeNumber(wire.last_return),
    selection_bias: decodeNumber(wire.selection_bias),
  }
}

export function decodeRun(wire: WireRun): Run {
  return {
    ...wire,
    final: wire.final && decodeFinal(wire.final),
    best_return: decodeOptional(wire.best_return),
    last_return: decodeOptional(wire.last_return),
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
    final_return: decodeOptional(wire.final_return),
    best_return: decodeOptional(wire.best_return),
    last_return: decodeOptional(wire.last_return),
    env_steps_per_second: decodeOptional(wire.env_steps_per_second),
    sparkline: wire.sparkline.map((value) => decodeOptional(value) ?? Number.NaN),
  }
}

export function decodeRow(wire: WireRow): Row {
  return { ...wire, ...decodeSummary(wire), values: wire.values }
}

export function decodeCount(wire: WireCount): Count {
  return {
    ...wire,
    final_return: decodeOptional(wire.final_return),
    best_final_return: decodeOptional(wire.best_final_return),
  }
}

export type GroupExperiment = Summary &
  Pick<WireGroupExperiment, "low" | "high" | "is_final" | "samples"> & { score: number | null }

export type Group = Omit<WireGroup, "experiments"> & { experiments: GroupExperiment[] }

function decodeGroupExperiment(wire: WireGroupExperiment): GroupExperiment {
  const { low, high, is_final, samples } = wire
  return { ...decodeSummary(wire), score: decodeOptional(wire.score), low, high, is_final, samples }
}

export function decodeGroup(wire: WireGroup): Group {
  return { ...wire, experiments: wire.experiments.map(decodeGroupExperiment) }
}

const ACTIVE: ReadonlySet<string> = new Set(Object.values(ActiveStatus))

/** Whether a job, experiment or group with this status will still change by itself. */
export function isActive(status: string): boolean {
  return ACTIVE.has(status)
}
