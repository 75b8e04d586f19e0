/** Reads the state that pages keep in the address. Unknown values are ignored, so that old links still open. */

import { ExperimentStatus } from "@/api/types"
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

function oneOf<T extends string>(value: unknown, options: readonly T[]): T | undefined {
  return options.find((option) => option === value)
}

export interface ExperimentsSearch {
  search?: string
  status?: ExperimentStatus
  /** Id of the group whose experiments are shown. */
  group?: number
  /** Column id, with a leading minus for descending. */
  sort?: string
}

export function readExperimentsSearch(raw: Raw): ExperimentsSearch {
  return {
    search: text(raw.search),
    status: oneOf(raw.status, Object.values(ExperimentStatus)),
    group: integer(raw.group),
    sort: text(raw.sort),
  }
}

export interface CreationSearch {
  preset?: string
  /** Id of an experiment whose spec is the starting point. */
  from?: number
}

export function readCreationSearch(raw: Raw): CreationSearch {
  return { preset: text(raw.preset), from: integer(raw.from) }
}

export const LINEAGE_MODES = ["timeline", "tree", "table"] as const
export type LineageMode = (typeof LINEAGE_MODES)[number]

export const TABS = ["overview", "videos", "runtime", "logs", "spec", "checkpoints"] as const
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
  const given = Array.isArray(raw.ids) ? raw.ids : (text(raw.ids)?.split(",").map(Number) ?? [])
  const ids = given.filter((id): id is number => Number.isSafeInteger(id) && id > 0)
  return { ids: ids.length ? ids : undefined, baseline: text(raw.baseline), shape: text(raw.shape) }
}
