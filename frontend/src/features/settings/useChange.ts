import { useMutation, useQueryClient } from "@tanstack/react-query"
import { notifyFailure } from "@/ui/Toasts"

/** Changes something and asks for the lists with these keys again; a refusal is shown with its remedy. */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  keys: readonly string[],
  failure: string,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] }))),
    onError: (error) => notifyFailure(failure, error),
  })
}
