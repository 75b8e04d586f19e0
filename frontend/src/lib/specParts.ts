/** The algorithm and the population method that a spec's text names, read and replaced. */

import { type Document, isMap, parseDocument } from "yaml"

export type Part = "algorithm" | "method"

const PATHS: Record<Part, readonly string[]> = { algorithm: ["algorithm"], method: ["population", "method"] }

/** Null where the text has no single spec: it cannot be read, or it is a group. An empty name where none is written. */
export function readPart(text: string, part: Part): string | null {
  const document = readSpec(text)
  if (document === null) return null
  const written = document.getIn(PATHS[part])
  const name = isMap(written) ? written.get("name") : written
  return typeof name === "string" ? name : ""
}

/** The text with another algorithm or method. Its fields go with it: those of one mean nothing to another. */
export function writePart(text: string, part: Part, name: string): string {
  const document = readSpec(text)
  if (document === null || readPart(text, part) === name) return text
  if (part === "method" && !isMap(document.get("population"))) {
    const size = document.get("population")
    document.set("population", document.createNode(size === undefined ? {} : { size }))
  }
  document.setIn(PATHS[part], name)
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

function readSpec(text: string): Document | null {
  const document = parseDocument(text)
  const isSpec = isMap(document.contents) && [undefined, "training"].includes(document.get("kind") as string)
  return document.errors.length === 0 && isSpec ? document : null
}
