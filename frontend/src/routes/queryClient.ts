import { QueryClient } from "@tanstack/react-query"
import { ApiError } from "@/api/errors"

/** Asks again when nobody answered; an answer, even a refusal, is taken as it is. */
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
