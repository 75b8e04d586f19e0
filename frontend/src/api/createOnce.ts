import { ApiError } from "@/api/errors"

const TRIES = 3
const PAUSE_MS = 600

/** Sends a creating call again when no answer came. The key makes the service create one thing however often it came. */
export async function createOnce<T>(
  send: (headers: { "Idempotency-Key": string }) => Promise<T>,
): Promise<T> {
  const headers = { "Idempotency-Key": randomKey() }
  for (let tried = 1; ; tried++) {
    try {
      return await send(headers)
    } catch (error) {
      if (!(error instanceof ApiError && error.unreachable) || tried === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tried))
    }
  }
}

/** `crypto.randomUUID` is missing on pages that came over plain HTTP from another machine. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-")
}
