/** The fields of a form, from the JSON schema of a spec: what can be filled in where, and what it means. */

import type { Path } from "@/lib/specText"

/** As much of JSON schema as pydantic writes for a spec. */
export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  oneOf?: Schema[]
  anyOf?: Schema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

export type Control =
  | { kind: "number" }
  | { kind: "text" }
  | { kind: "list" }
  | { kind: "choice"; options: readonly string[] }
  /** Has fields of its own. */
  | { kind: "section"; schema: Schema }
  /** One of several sections, chosen by a field of them. */
  | { kind: "variant"; by: string; sections: Readonly<Record<string, Schema>> }
  /** A number per member, or what a form cannot hold: a mapping, a list of sections. */
  | { kind: "tunable" | "other" }

export interface FormField {
  path: Path
  label: string
  description: string
  control: Control
}

/** The fields of a section in the order of the language; constants are not asked for. */
export function fieldsOf(root: Schema, section: Schema, path: Path): FormField[] {
  return Object.entries(resolve(root, section).properties ?? {})
    .filter(([, schema]) => schema.const === undefined)
    .map(([name, schema]) => ({
      path: [...path, name],
      label: labelOf(name),
      description: (schema.description ?? resolve(root, schema).description ?? "").replaceAll("\n", " "),
      control: controlOf(root, schema),
    }))
}

/** `envs_per_member` as a person reads it. */
export function labelOf(name: string): string {
  const words = name.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace("#/$defs/", "")
  return (name && root.$defs?.[name]) || schema
}

function controlOf(root: Schema, written: Schema): Control {
  const schema = resolve(root, written)
  if (schema.discriminator) {
    const { propertyName, mapping } = schema.discriminator
    const sections = Object.entries(mapping).map(([name, ref]) => [name, resolve(root, { $ref: ref })])
    return { kind: "variant", by: propertyName, sections: Object.fromEntries(sections) }
  }
  const parts = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== "null")
  if (parts.length === 1) return controlOf(root, parts[0]!)
  if (parts.some((part) => resolve(root, part).properties)) return { kind: "tunable" }
  if (schema.enum?.every((option) => typeof option === "string")) {
    return { kind: "choice", options: schema.enum as string[] }
  }
  if (schema.properties) return { kind: "section", schema }
  if (parts.length > 0) return { kind: "text" }
  switch (schema.type) {
    case "integer":
    case "number":
      return { kind: "number" }
    case "boolean":
      return { kind: "choice", options: ["true", "false"] }
    case "string":
      return { kind: "text" }
    case "array":
      return { kind: "list" }
    default:
      return { kind: "other" }
  }
}
