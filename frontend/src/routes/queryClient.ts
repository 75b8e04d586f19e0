import { QueryClient } from "@tanstack/react-query"
import { ApiError } from "@/api/errors"

/** Retries when no answer came; an answer, even an error, is final. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => error instanceof ApiError && error.unreachable && failures < 2,
        retryDelay: (attempt) => 600 * (attempt + 1),
        staleTime: 1000,
      },
    },
  })
}
