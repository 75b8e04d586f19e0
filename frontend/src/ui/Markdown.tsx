/**
 * Notes as people write them: headings, lists, quotes, code, emphasis and links. What is not understood stays as it was
 * written. It makes elements, never HTML, so nothing that someone writes can become a part of the page.
 */

import type { ReactNode } from "react"

const HEADINGS = ["text-lg font-semibold", "text-base font-semibold", "font-semibold"]

export function Markdown({ text }: { text: string }) {
  return (
    <div className="space-y-2 break-words text-pretty">{blocks(text.replaceAll("\r", "").split("\n"))}</div>
  )
}

function blocks(lines: readonly string[]): ReactNode[] {
  const made: ReactNode[] = []
  let at = 0
  /** The lines from here on that match, each without what marks it. */
  function run(mark: RegExp): string[] {
    const found: string[] = []
    while (at < lines.length && mark.test(lines[at]!)) found.push(lines[at++]!.replace(mark, ""))
    return found
  }
  while (at < lines.length) {
    const line = lines[at]!
    const key = at
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (line.trim() === "") at++
    else if (/^```/.test(line)) {
      at++
      const code = run(/^(?!```)/)
      at++
      made.push(
        <pre className="overflow-x-auto rounded-lg bg-sunken p-3 text-[13px]" key={key}>
          <code>{code.join("\n")}</code>
        </pre>,
      )
    } else if (heading) {
      at++
      const level = Math.min(heading[1]!.length, HEADINGS.length)
      const Heading = (["h3", "h4", "h5"] as const)[level - 1]!
      made.push(
        <Heading className={HEADINGS[level - 1]} key={key}>
          {inline(heading[2]!)}
        </Heading>,
      )
    } else if (/^\s*[-*+]\s+/.test(line)) {
      made.push(
        <ul className="list-disc space-y-0.5 pl-5" key={key}>
          {items(run(/^\s*[-*+]\s+/))}
        </ul>,
      )
    } else if (/^\s*\d+[.)]\s+/.test(line)) {
      made.push(
        <ol className="list-decimal space-y-0.5 pl-5" key={key}>
          {items(run(/^\s*\d+[.)]\s+/))}
        </ol>,
      )
    } else if (/^>\s?/.test(line)) {
      made.push(
        <blockquote className="border-line-strong border-l-2 pl-3 text-ink-soft" key={key}>
          {blocks(run(/^>\s?/))}
        </blockquote>,
      )
    } else {
      made.push(
        <p key={key}>
          {inline(run(/^(?!\s*$|#{1,6}\s|```|>|\s*[-*+]\s|\s*\d+[.)]\s)/).join("\n") || lines[at++]!)}
        </p>,
      )
    }
  }
  return made
}

function items(texts: readonly string[]): ReactNode[] {
  return texts.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text is rendered whole
    <li key={index}>{inline(text)}</li>
  ))
}

const INLINE =
  /(`[^`]+`)|(\*\*[^*]+\*\*)|(\*[^*\s][^*]*\*)|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)]+)/g

function inline(text: string): ReactNode[] {
  const made: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, soft, label, target, bare] = match
    made.push(text.slice(end, match.index))
    end = match.index + whole.length
    const key = match.index
    if (code)
      made.push(
        <code className="rounded bg-sunken px-1" key={key}>
          {code.slice(1, -1)}
        </code>,
      )
    else if (strong) made.push(<strong key={key}>{inline(strong.slice(2, -2))}</strong>)
    else if (soft) made.push(<em key={key}>{inline(soft.slice(1, -1))}</em>)
    else
      made.push(
        <a
          className="text-accent-strong underline"
          href={target ?? bare}
          key={key}
          rel="noopener noreferrer nofollow"
          target="_blank"
        >
          {label ?? bare}
        </a>,
      )
  }
  made.push(text.slice(end))
  return made
}
