/** Small preferences kept in the browser. Storage may be forbidden or hold rubbish; then the default holds. */

export function readPreference<T>(name: string, fallback: T, isValid: (value: unknown) => value is T): T {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`phylon.${name}`) ?? "null")
    return isValid(stored) ? stored : fallback
  } catch {
    return fallback
  }
}

export function writePreference(name: string, value: unknown): void {
  try {
    localStorage.setItem(`phylon.${name}`, JSON.stringify(value))
  } catch {
    // A browser without storage forgets preferences; nothing else depends on it.
  }
}
