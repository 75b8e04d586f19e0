import { useMutation, useQueryClient } from "@tanstack/react-query"
import { starExperiment } from "@/api/generated/sdk.gen"
import { classes } from "@/ui/classes"
import { Icon } from "@/ui/Icon"
import { notifyFailure } from "@/ui/Toasts"

interface StarButtonProps {
  id: number
  name: string
  starred: boolean
  /** Out of sight until the pointer is near, as in a table with many of them. */
  quiet?: boolean
}

/** Everyone's stars are their own. */
export function StarButton({ id, name, starred, quiet = false }: StarButtonProps) {
  const queryClient = useQueryClient()
  const star = useMutation({
    mutationFn: () => starExperiment({ path: { id }, body: { starred: !starred }, throwOnError: true }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["experiments"] }),
    onError: (error) => notifyFailure("The star could not be changed", error),
  })
  return (
    <button
      aria-label={starred ? `Remove the star of ${name}` : `Star ${name}`}
      aria-pressed={starred}
      className={classes(
        "inline-flex size-7 items-center justify-center rounded-lg transition-opacity hover:bg-sunken",
        starred ? "text-warn" : "text-ink-faint",
        quiet && !starred && "opacity-0 focus-visible:opacity-100 group-hover:opacity-100",
      )}
      disabled={star.isPending}
      onClick={() => star.mutate()}
      tabIndex={quiet ? -1 : undefined}
      type="button"
    >
      <Icon filled={starred} name="star" />
    </button>
  )
}
