/** Where in a YAML text a problem lies, so that it can be shown at its line. */

import { isMap, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from "yaml"
import type { Problem } from "@/api/types"

export interface Range {
  from: number
  to: number
}

/** The range of each problem: its value or key, else the nearest parent that exists, else the first line. */
export function locateProblems(text: string, problems: readonly Problem[]): (Range & { problem: Problem })[] {
  const document = parseDocument(text)
  const broken = document.errors[0]
  return problems.map((problem) => {
    if (problem.path === "" && broken)
      return { ...clip({ from: broken.pos[0], to: broken.pos[1] }, text), problem }
    const range = problem.path === "" ? null : locate(document.contents, problem.path.split("."))
    return { ...clip(range ?? firstLine(text), text), problem }
  })
}

function firstLine(text: string): Range {
  const end = text.indexOf("\n")
  return { from: 0, to: end < 0 ? text.length : end }
}

/** Editors refuse empty ranges and ranges beyond the text. */
function clip({ from, to }: Range, text: string): Range {
  const start = Math.min(Math.max(0, from), Math.max(0, text.length - 1))
  return { from: start, to: Math.min(text.length, Math.max(to, start + 1)) }
}

function locate(root: Node | null, path: readonly string[]): Range | null {
  let node: Node | null = root
  let found: Range | null = null
  let place = 0
  while (place < path.length) {
    if (isMap(node)) {
      const step = enter(node, path.slice(place))
      if (!step) return found
      found = rangeOf(step.pair.key as Node) ?? found
      node = step.pair.value as Node | null
      place += step.parts
    } else if (isSeq(node)) {
      const item = node.items[Number(path[place])] as Node | undefined
      if (!item) return found
      found = rangeOf(item) ?? found
      node = item
      place += 1
    } else {
      return found
    }
  }
  return isMap(node) || isSeq(node) ? found : (rangeOf(node) ?? found)
}

/** The field that the path goes through next. In a group a key may itself be a path: `environment.id`. */
function enter(map: YAMLMap, path: readonly string[]): { pair: Pair; parts: number } | null {
  for (let parts = 1; parts <= path.length; parts++) {
    const name = path.slice(0, parts).join(".")
    const pair = map.items.find(({ key }) => String(key) === name)
    if (pair) return { pair, parts }
  }
  return null
}

function rangeOf(node: Node | null): Range | null {
  return node?.range ? { from: node.range[0], to: node.range[1] } : null
}

/** Line number, from 1, of a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length
}
