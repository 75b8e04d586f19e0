/** Reads the state that pages keep in the address. Unknown values are ignored, so that old links still open. */

import { CurveAxis, ExperimentStatus, Priority, StatisticName } from "@/api/types"
import type { Axis } from "@/lib/series"

type Raw = Record<string, unknown>

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== ""
    ? value
    : typeof value === "number"
      ? String(value)
      : undefined
}

function integer(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) ? value : undefined
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

function oneOf<T extends string>(value: unknown, options: readonly T[]): T | undefined {
  return options.find((option) => option === value)
}

export interface ExperimentsSearch {
  /** In the language of docs/organise.md. */
  query?: string
  /** Column, with a leading minus for the greatest first. */
  sort?: string
  /** Columns in their order, separated by commas; the usual ones without it. */
  columns?: string
  /** Column by whose values the experiments are grouped. */
  by?: string
}

export function readExperimentsSearch(raw: Raw): ExperimentsSearch {
  return {
    query: text(raw.query) ?? formerQuery(raw),
    sort: text(raw.sort),
    columns: text(raw.columns),
    by: text(raw.by),
  }
}

/** Links of earlier versions name a word, a status and a group instead. */
function formerQuery(raw: Raw): string | undefined {
  const status = oneOf(raw.status, Object.values(ExperimentStatus))
  const word = text(raw.search)
  const parts = [word && JSON.stringify(word), status && `status = ${status}`]
  return parts.filter(Boolean).join(" and ") || undefined
}

export interface CreationSearch {
  preset?: string
  /** Id of an experiment whose spec is the starting point. */
  from?: number
  /** Id of a run whose weights the founders begin with. */
  fork?: number
  /** The stretch of its lineage that they are taken from. */
  span?: number
}

export function readCreationSearch(raw: Raw): CreationSearch {
  return {
    preset: text(raw.preset),
    from: integer(raw.from),
    fork: integer(raw.fork),
    span: integer(raw.span),
  }
}

export const LINEAGE_MODES = ["timeline", "tree", "table"] as const
export type LineageMode = (typeof LINEAGE_MODES)[number]

export const TABS = [
  "overview",
  "hyperparameters",
  "videos",
  "policy",
  "runtime",
  "attempts",
  "logs",
  "spec",
  "checkpoints",
] as const
export type Tab = (typeof TABS)[number]

export interface ExperimentSearch {
  run?: number
  tab?: Tab
  axis?: Axis
  metric?: string
  log?: boolean
  /** The span whose ancestry is highlighted. */
  span?: number
  /** What the colour of the bars shows: `return`, `founder`, or a hyper-parameter's name. */
  colour?: string
  view?: LineageMode
  /** The attempt whose log is shown; all without it. */
  attempt?: number
  /** The host of several whose log is shown; all without it. */
  rank?: number
  /** A step: log and videos show what is nearest to it. */
  at?: number
}

export function readExperimentSearch(raw: Raw): ExperimentSearch {
  return {
    run: integer(raw.run),
    tab: oneOf(raw.tab, TABS),
    axis: oneOf(raw.axis, ["steps", "wall"]),
    metric: text(raw.metric),
    log: raw.log === true ? true : undefined,
    span: integer(raw.span),
    colour: text(raw.colour),
    view: oneOf(raw.view, LINEAGE_MODES),
    attempt: integer(raw.attempt),
    rank: integer(raw.rank),
    at: integer(raw.at),
  }
}

export interface QueueSearch {
  project?: number
  owner?: number
  priority?: Priority
  /** How many waiting jobs are listed. */
  shown?: number
  /** Whether all running jobs are listed. */
  running?: "all"
}

export function readQueueSearch(raw: Raw): QueueSearch {
  return {
    project: integer(raw.project),
    owner: integer(raw.owner),
    priority: oneOf(raw.priority, Object.values(Priority)),
    shown: integer(raw.shown),
    running: oneOf(raw.running, ["all"]),
  }
}

export interface SignInSearch {
  /** Where to go on. */
  next?: string
  /** Somebody was signed in until now. */
  ended?: boolean
}

export function readSignInSearch(raw: Raw): SignInSearch {
  return { next: text(raw.next), ended: raw.ended === true ? true : undefined }
}

export interface AuditSearch {
  actor?: string
  action?: string
  project?: number
  since?: string
  until?: string
}

export function readAuditSearch(raw: Raw): AuditSearch {
  const day = (value: unknown) => (/^\d{4}-\d\d-\d\d$/.test(text(value) ?? "") ? text(value) : undefined)
  return {
    actor: text(raw.actor),
    action: text(raw.action),
    project: integer(raw.project),
    since: day(raw.since),
    until: day(raw.until),
  }
}

export interface StudiesSearch {
  /** The studies that are drawn over each other. */
  ids?: number[]
  /** What speed-ups are over. */
  baseline?: string
  /** Updates per call, batch and network, in words. */
  shape?: string
}

export function readStudiesSearch(raw: Raw): StudiesSearch {
  return { ids: numbers(raw.ids), baseline: text(raw.baseline), shape: text(raw.shape) }
}

/** Of evaluations, and of checks of environments. */
export interface SingleSearch {
  /** The only one to show. */
  id?: number
}

export function readSingleSearch(raw: Raw): SingleSearch {
  return { id: numbers([raw.id])?.[0] }
}

/** Numbers of things, as a list or separated by commas. */
function numbers(value: unknown): number[] | undefined {
  const given = Array.isArray(value) ? value : (text(value)?.split(",").map(Number) ?? [])
  const ids = given.filter((id): id is number => Number.isSafeInteger(id) && id > 0)
  return ids.length ? [...new Set(ids)] : undefined
}

export interface CompareSearch {
  experiments?: number[]
  groups?: number[]
  metric?: string
  axis?: CurveAxis
  statistic?: StatisticName
  task?: string
  /** Where on the axis scores are taken; without it they are final returns. */
  at?: number
  /** A return: how soon it is reached. */
  target?: number
  /** Key of the arm that the others are compared with. */
  baseline?: string
  /** Whether the curve of each replicate is drawn. */
  runs?: boolean
}

export function readCompareSearch(raw: Raw): CompareSearch {
  return {
    experiments: numbers(raw.experiments),
    groups: numbers(raw.groups),
    metric: text(raw.metric),
    axis: oneOf(raw.axis, Object.values(CurveAxis)),
    statistic: oneOf(raw.statistic, Object.values(StatisticName)),
    task: text(raw.task),
    at: finite(raw.at),
    target: finite(raw.target),
    baseline: text(raw.baseline),
    runs: raw.runs === true ? true : undefined,
  }
}
