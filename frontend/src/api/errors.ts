/** The one error type for failed API requests, which every panel can show. */

import { client } from "@/api/generated/client.gen"
import type { Problem, ProblemDocument } from "@/api/generated/types.gen"

export class ApiError extends Error {
  /** HTTP status, or 0 when no answer came at all. */
  readonly status: number
  readonly remedy: string | null
  readonly problems: readonly Problem[]

  constructor(status: number, detail: string, remedy: string | null, problems: readonly Problem[] = []) {
    super(detail)
    this.name = "ApiError"
    this.status = status
    this.remedy = remedy
    this.problems = problems
  }

  /** No answer, or a gateway's answer: worth trying again by itself. */
  get unreachable(): boolean {
    return this.status === 0 || this.status >= 502
  }
}

function isProblemDocument(body: unknown): body is ProblemDocument {
  return typeof body === "object" && body !== null && typeof (body as ProblemDocument).detail === "string"
}

export function toApiError(body: unknown, response: Response | undefined): ApiError {
  if (!response)
    return new ApiError(
      0,
      "The API does not answer.",
      "Check that the server is running; this page tries again by itself.",
    )
  if (isProblemDocument(body)) return new ApiError(response.status, body.detail, body.remedy, body.problems)
  return new ApiError(
    response.status,
    `The API answered ${response.status} ${response.statusText}.`.replace(" .", "."),
    null,
  )
}

let askToSignIn: () => void = () => undefined

/** What to do when the service no longer knows who asks. */
export function onSignInNeeded(act: () => void): void {
  askToSignIn = act
}

client.interceptors.error.use((body, response, request) => {
  if (body instanceof DOMException && body.name === "AbortError") return body
  // A wrong password is refused with the same status; there the form itself says so.
  if (response?.status === 401 && !request.url.endsWith("/accounts/sign-in")) askToSignIn()
  return toApiError(body, response)
})
