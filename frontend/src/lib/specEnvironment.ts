/** The environment that a spec's text names, read and replaced without touching the rest of the text. */

import { isScalar } from "yaml"
import { readSpec, readText, readValue, writeField } from "@/lib/specText"

export interface EnvironmentName {
  suite: string
  id: string
}

const SHORT = { environment: "id" }

/** Null where the text has no single environment: it cannot be read, or it is a group. */
export function readEnvironment(text: string): Partial<EnvironmentName> | null {
  const document = readSpec(text)
  if (document === null) return null
  const [suite, id] = ["suite", "id"].map((field) => readText(document, ["environment", field], SHORT))
  return { ...(suite && { suite }), ...(id && { id }) }
}

/** An environment as a worker is asked to try it. */
export interface NamedEnvironment {
  /** Null for the usual one. */
  suite: string | null
  id: string
  options: Record<string, unknown>
}

/** What the text hands to the environment; nothing where it says nothing. */
export function readOptions(text: string): Record<string, unknown> {
  const document = readSpec(text)
  const options = document && readValue(document, ["environment", "options"], SHORT)
  return typeof options === "object" && options !== null ? (options as Record<string, unknown>) : {}
}

/**
 * The text with another environment in it; its comments and its layout stay. A spec that names its environment by id
 * alone keeps to that where the id belongs to a single suite.
 */
export function writeEnvironment(text: string, { suite, id }: EnvironmentName, isUnique: boolean): string {
  const written = readSpec(text)?.get("environment", true)
  if (isScalar(written) && typeof written.value === "string") {
    return writeField(text, ["environment"], isUnique ? id : { suite, id }, SHORT)
  }
  const named = writeField(text, ["environment", "suite"], suite, {})
  return writeField(named, ["environment", "id"], id, {})
}
