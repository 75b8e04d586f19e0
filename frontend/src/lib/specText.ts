/**
 * Fields of a spec's text, read and written one at a time. The text is the truth: a form shows what it says, and changes
 * nothing in it but the field that was edited, so comments and layout stay.
 */

import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parse,
  parseDocument,
  type YAMLMap,
} from "yaml"

export type Path = readonly string[]
/** By section: the field that a text or a number in its place means; `population: 8` is `population: {size: 8}`. */
export type ShortForms = Readonly<Record<string, string>>

const LAYOUT = { lineWidth: 0, flowCollectionPadding: false } as const

/** Null where the text has no single experiment: it cannot be read, or it is a group, a sweep or a study. */
export function readSpec(text: string): Document | null {
  const document = parseDocument(text)
  if (document.errors.length > 0) return null
  if (document.contents !== null && !isMap(document.contents)) return null
  return [undefined, "training"].includes(document.get("kind") as string | undefined) ? document : null
}

/** The value as written, numbers too: `1e-4` stays that. Undefined where nothing is written. */
export function readText(document: Document, path: Path, shortForms: ShortForms): string | undefined {
  const node = find(document, path, shortForms)
  if (node === undefined) return undefined
  if (isScalar(node)) return node.source ?? (node.value === null ? "" : String(node.value))
  return isCollection(node) ? stringifyFlow(node.toJS(document)) : undefined
}

/** The value as plain data. */
export function readValue(document: Document, path: Path, shortForms: ShortForms): unknown {
  const node = find(document, path, shortForms)
  return isScalar(node) ? node.value : isCollection(node) ? node.toJS(document) : undefined
}

/** The text with another value in this place; undefined removes the field, so that its default holds. */
export function writeField(text: string, path: Path, value: unknown, shortForms: ShortForms): string {
  const document = readSpec(text)
  if (document === null) return text
  if (value === undefined && find(document, path, shortForms) === undefined) return text
  const wanted = readSpec(text)!
  if (wanted.contents === null) wanted.contents = wanted.createNode({})
  spellOut(wanted, path, shortForms)
  if (value === undefined) wanted.deleteIn(path)
  else wanted.setIn(path, wanted.createNode(parse(stringifyFlow(value))))
  const edited =
    value === undefined ? cut(text, document, path) : put(text, document, path, value, shortForms)
  // An edit of the text alone leaves every other line as it is. Where it would not say what is wanted, YAML's own
  // writer does: comments stay, and only layout may change.
  return edited !== null && isSame(edited, wanted) ? edited : wanted.toString(LAYOUT)
}

function isSame(text: string, wanted: Document): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && JSON.stringify(document.toJS()) === JSON.stringify(wanted.toJS())
}

function find(document: Document, path: Path, shortForms: ShortForms): Node | undefined {
  let node = document.contents as Node | null | undefined
  for (const [depth, key] of path.entries()) {
    if (isMap(node)) node = node.get(key, true) as Node | undefined
    else if (isSeq(node)) node = node.get(Number(key), true) as Node | undefined
    else if (isScalar(node) && node.value !== null && shortForms[path.slice(0, depth).join(".")] === key)
      continue
    else return undefined
  }
  return node ?? undefined
}

/** Sections on the way that are written in their short form become mappings. */
function spellOut(document: Document, path: Path, shortForms: ShortForms): void {
  for (let depth = 1; depth < path.length; depth++) {
    const section = path.slice(0, depth)
    const node = document.getIn(section, true)
    if (isMap(node)) continue
    const short = shortForms[section.join(".")]
    const said = isScalar(node) && node.value !== null && short !== undefined
    document.setIn(section, document.createNode(said ? { [short]: node.value } : {}, { flow: true }))
  }
}

/** How a value is written within a line. A text of letters, digits and signs is written as it was typed: `1e-4`. */
export function stringifyFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringifyFlow).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([key, inner]) => `${key}: ${stringifyFlow(inner)}`)
    return `{${fields.join(", ")}}`
  }
  return typeof value === "string" && !/^[\w.+-]+$/.test(value) ? JSON.stringify(value) : String(value)
}

function put(
  text: string,
  document: Document,
  path: Path,
  value: unknown,
  shortForms: ShortForms,
): string | null {
  let depth = path.length
  while (depth > 0 && document.getIn(path.slice(0, depth), true) === undefined) depth--
  const rest = path.slice(depth)
  const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
  if (node === null || node === undefined)
    return `${text && !text.endsWith("\n") ? `${text}\n` : text}${block(nested)}`
  if (rest.length === 0) return replace(text, node as Node, stringifyFlow(value))
  if (isMap(node)) return add(text, node, nested as Record<string, unknown>)
  const short = shortForms[path.slice(0, depth).join(".")]
  if (!isScalar(node) || node.value === null || short === undefined) return null
  const written = text.slice(node.range![0], node.range![1])
  const fields = short === rest[0] ? "" : `${short}: ${written}, `
  return replace(text, node, `{${fields}${stringifyFlow(nested).slice(1)}`)
}

function block(value: unknown): string {
  const [[key, inner]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]]
  return `${key}: ${stringifyFlow(inner)}\n`
}

function replace(text: string, node: Node, written: string): string | null {
  if (!node.range) return null
  const [from, to] = node.range
  const isBlock = isCollection(node) && !node.flow
  // What stands in its own lines moves behind its key; its last line break stays.
  const start = isBlock ? text.slice(0, from).trimEnd().length : from
  const end = isBlock ? from + text.slice(from, to).trimEnd().length : to
  const gap = isBlock || text[start - 1] === ":" ? " " : ""
  return text.slice(0, start) + gap + written + text.slice(end)
}

function add(text: string, map: YAMLMap, fields: Record<string, unknown>): string | null {
  if (!map.range) return null
  const written = stringifyFlow(fields).slice(1, -1)
  if (map.flow) {
    const inside = text.slice(0, map.range[1] - 1).trimEnd()
    return `${inside}${map.items.length > 0 ? ", " : ""}${written}${text.slice(map.range[1] - 1)}`
  }
  const first = map.items[0]?.key as Node | undefined
  if (!first?.range) return null
  const indent = first.range[0] - (text.lastIndexOf("\n", first.range[0] - 1) + 1)
  const place = endOfLine(text, map.range[0] + text.slice(map.range[0], map.range[1]).trimEnd().length)
  return `${text.slice(0, place)}\n${" ".repeat(indent)}${written}${text.slice(place) || "\n"}`
}

function cut(text: string, document: Document, path: Path): string | null {
  const map = document.getIn(path.slice(0, -1), true)
  const holder = path.length === 1 ? document.contents : map
  if (!isMap(holder)) return null
  const place = holder.items.findIndex(({ key }) => String(key) === path.at(-1))
  const pair = holder.items[place]
  const [key, value] = [pair?.key as Node | undefined, pair?.value as Node | null | undefined]
  if (!key?.range || !value?.range) return null
  if (!holder.flow) {
    const end = endOfLine(text, value.range[0] + text.slice(value.range[0], value.range[1]).trimEnd().length)
    return text.slice(0, text.lastIndexOf("\n", key.range[0] - 1) + 1) + text.slice(end + 1)
  }
  const next = holder.items[place + 1]?.key as Node | undefined
  if (next?.range) return text.slice(0, key.range[0]) + text.slice(next.range[0])
  const before = holder.items[place - 1]?.value as Node | undefined
  return text.slice(0, before?.range ? before.range[1] : key.range[0]) + text.slice(value.range[1])
}

function endOfLine(text: string, position: number): number {
  const end = text.indexOf("\n", position)
  return end < 0 ? text.length : end
}
