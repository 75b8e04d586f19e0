/** The pages for those who are not signed in, and the way back from them. */

const PATHS: ReadonlySet<string> = new Set(["/sign-in", "/first-admin", "/invitation", "/reset-password"])

export function isAccountPage(path: string): boolean {
  return PATHS.has(path)
}

/** An address of this page alone: a link to the sign-in must not lead on to another site. */
export function safeAddress(given: string | undefined): string {
  if (!given?.startsWith("/")) return "/"
  const { origin, pathname, search, hash } = new URL(given, "http://here")
  return origin === "http://here" && !isAccountPage(pathname) ? `${pathname}${search}${hash}` : "/"
}

/** The code of a one-time link, which stands behind `#`. */
export function codeOf(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code") ?? ""
}
