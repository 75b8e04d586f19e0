/** The environment that a spec's text names, read and replaced without touching the rest of the text. */

import { type Document, isMap, isScalar, parseDocument } from "yaml"

export interface EnvironmentName {
  suite: string
  id: string
}

/** Null where the text has no single environment: it cannot be read, or it is a group. */
export function readEnvironment(text: string): Partial<EnvironmentName> | null {
  const document = parseDocument(text)
  if (!isEditable(document)) return null
  const short = document.get("environment")
  if (typeof short === "string") return { id: short }
  const [suite, id] = [document.getIn(["environment", "suite"]), document.getIn(["environment", "id"])]
  return {
    ...(typeof suite === "string" && { suite }),
    ...(typeof id === "string" && { id }),
  }
}

/**
 * The text with another environment in it; its comments and its layout stay. A spec that names its environment by id
 * alone keeps to that where the id belongs to a single suite.
 */
export function writeEnvironment(text: string, environment: EnvironmentName, isUnique: boolean): string {
  const document = parseDocument(text)
  if (!isEditable(document)) return text
  const short = document.get("environment", true)
  if (isScalar(short) && typeof short.value === "string" && short.range) {
    const { suite, id } = environment
    return splice(
      text,
      { from: short.range[0], to: short.range[1] },
      isUnique ? id : `{suite: ${suite}, id: ${id}}`,
    )
  }
  const spots = (["suite", "id"] as const).map((field) => ({ field, range: rangeOf(document, field) }))
  if (spots.every(({ range }) => range !== null)) {
    return spots
      .sort((a, b) => b.range!.from - a.range!.from)
      .reduce((edited, { field, range }) => splice(edited, range!, environment[field]), text)
  }
  // A key is missing: only in this case the text is reformatted.
  if (!isMap(document.get("environment"))) document.set("environment", document.createNode({}))
  document.setIn(["environment", "suite"], environment.suite)
  document.setIn(["environment", "id"], environment.id)
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

function isEditable(document: Document): boolean {
  if (document.errors.length > 0) return false
  return document.contents === null || (isMap(document.contents) && document.get("kind") !== "group")
}

interface Range {
  from: number
  to: number
}

function rangeOf(document: Document, field: string): Range | null {
  const node = document.getIn(["environment", field], true)
  return isScalar(node) && node.range ? { from: node.range[0], to: node.range[1] } : null
}

function splice(text: string, { from, to }: Range, value: string): string {
  return text.slice(0, from) + value + text.slice(to)
}
