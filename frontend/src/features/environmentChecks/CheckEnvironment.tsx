import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { createOnce } from "@/api/createOnce"
import { environmentCheckQuery } from "@/api/environmentChecks"
import { createEnvironmentCheck } from "@/api/generated/sdk.gen"
import type { EnvironmentCheck } from "@/api/generated/types.gen"
import { isActive } from "@/api/types"
import { useSubmission } from "@/features/account/useMe"
import { EnvironmentCheckItem } from "@/features/environmentChecks/EnvironmentCheckItem"
import { useFreshLists } from "@/lib/live/useFreshLists"
import type { NamedEnvironment } from "@/lib/specEnvironment"
import { Button } from "@/ui/Button"
import { Sheet } from "@/ui/Sheet"
import { Failure, Loading } from "@/ui/States"

/** Has a worker try the environment that is written, and shows what it found. */
export function CheckEnvironment({ environment }: { environment: NamedEnvironment }) {
  const queryClient = useQueryClient()
  const { project, whyNot } = useSubmission()
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState<{ text: string; id: number } | null>(null)
  const text = JSON.stringify(environment)
  const start = useMutation({
    mutationFn: async () => {
      const { suite, id, options } = environment
      const body = { suite, environment: id, options, project }
      return (await createOnce((headers) => createEnvironmentCheck({ body, headers, throwOnError: true })))
        .data
    },
    onSuccess: (check: EnvironmentCheck) => {
      queryClient.setQueryData(environmentCheckQuery(check.id).queryKey, check)
      setAsked({ text, id: check.id })
      void queryClient.invalidateQueries({ queryKey: ["queue"] })
    },
  })
  const id = asked?.id ?? null

  function show(opens: boolean) {
    setOpen(opens)
    if (opens && asked?.text !== text && !start.isPending) start.mutate()
  }

  return (
    <Sheet
      hint="A worker that offers it tries what it returns, seeds, ends of episodes, speed, memory and rendering."
      onOpenChange={show}
      open={open}
      title="Check of the environment"
      trigger={
        <Button
          icon="search"
          reason={whyNot ?? (environment.id ? null : "Choose an environment first.")}
          size="small"
          variant="ghost"
        >
          Check this environment
        </Button>
      }
      wide
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="overflow-y-auto p-4 sm:px-5" tabIndex={0}>
        {start.isPending && <Loading label="Asking for the check" />}
        {start.isError && !start.isPending && (
          <Failure
            error={start.error}
            onRetry={() => start.mutate()}
            title="The environment could not be checked"
          />
        )}
        {id !== null && !start.isPending && !start.isError && (
          <Followed id={id} onAgain={() => start.mutate()} />
        )}
      </div>
    </Sheet>
  )
}

const NONE: readonly EnvironmentCheck[] = []

function Followed({ id, onAgain }: { id: number; onAgain: () => void }) {
  const { data: check, error, refetch } = useQuery(environmentCheckQuery(id))
  useFreshLists("environment_check", "environment-checks", check ? [check] : NONE)
  if (!check) {
    return error ? (
      <Failure error={error} onRetry={() => refetch()} title="The check could not be loaded" />
    ) : (
      <Loading label="Loading the check" />
    )
  }
  return (
    <div className="space-y-3">
      <EnvironmentCheckItem check={check} />
      {!isActive(check.status) && (
        <Button icon="retry" onClick={onAgain} size="small">
          Check again
        </Button>
      )}
    </div>
  )
}
