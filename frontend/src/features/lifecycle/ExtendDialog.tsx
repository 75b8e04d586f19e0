import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { extensionQuery } from "@/api/queries"
import type { ExtensionOutlook } from "@/api/types"
import { BudgetFields } from "@/features/lifecycle/BudgetFields"
import { type Target, useVerb } from "@/features/lifecycle/useVerb"
import { WORDS } from "@/features/lifecycle/words"
import { changedLimits, firstForm, problemOf } from "@/lib/extension"
import { Button } from "@/ui/Button"
import { Dialog } from "@/ui/Dialog"
import { Failure, Loading } from "@/ui/States"
import { notify } from "@/ui/Toasts"

interface ExtendDialogProps {
  target: Target
  run: number
  trigger: ReactNode
}

/** Asks for a larger budget, or says why there cannot be one. */
export function ExtendDialog({ target, run, trigger }: ExtendDialogProps) {
  const [open, setOpen] = useState(false)
  const outlook = useQuery({ ...extensionQuery(run), enabled: open })
  return (
    <Dialog
      description="It goes on from where it ended. Its result so far stays with the attempt that came to it."
      onOpenChange={setOpen}
      open={open}
      title={`Extend ${target.name}`}
      trigger={trigger}
    >
      {outlook.isFetching ? (
        <Loading className="px-0" label="Loading the present budget" />
      ) : outlook.data ? (
        <Ready onDone={() => setOpen(false)} outlook={outlook.data} target={target} />
      ) : (
        <Failure
          error={outlook.error}
          onRetry={() => outlook.refetch()}
          title="The present budget could not be loaded"
        />
      )}
    </Dialog>
  )
}

interface ReadyProps {
  target: Target
  outlook: ExtensionOutlook
  onDone: () => void
}

function Ready({ target, outlook, onDone }: ReadyProps) {
  const [form, setForm] = useState(() => firstForm(outlook))
  const extend = useVerb(target)
  if (outlook.refusal !== null) {
    return (
      <div className="mt-4 rounded-lg bg-warn-soft px-4 py-3 text-warn" role="status">
        <p className="font-medium">{outlook.refusal}</p>
        <p className="mt-1">{outlook.remedy}</p>
      </div>
    )
  }
  const problem = problemOf(outlook, form)
  return (
    <form
      className="mt-4 space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        extend.mutate(
          { verb: "extend", limits: changedLimits(outlook, form) },
          {
            onSuccess: () => {
              notify({ tone: "good", title: WORDS.extend.done, detail: WORDS.extend.detail })
              onDone()
            },
          },
        )
      }}
    >
      <BudgetFields form={form} onChange={setForm} outlook={outlook} />
      {problem && <p className="text-[13px] text-ink-faint">{problem}</p>}
      {extend.isError && <Failure error={extend.error} title="It could not be extended" />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button busy={extend.isPending} disabled={problem !== null} type="submit" variant="primary">
          Extend
        </Button>
      </div>
    </form>
  )
}
