/** What a browser calls itself, in a few words: "Firefox on Linux". */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^python-httpx\//, "phylon on the command line"],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
]

export function browserName(agent: string | null): string {
  if (!agent) return "Unknown browser"
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = find(BROWSERS)
  const system = find(SYSTEMS)
  if (!browser) return agent.slice(0, 40)
  return system ? `${browser} on ${system}` : browser
}
