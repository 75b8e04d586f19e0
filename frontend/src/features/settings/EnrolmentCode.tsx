import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { createEnrolmentCode } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { ADMIN_ONLY } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { ShownOnce } from "@/ui/ShownOnce"

/** Makes a code with which one machine becomes a worker, and shows the command to run there. */
export function EnrolmentCode() {
  const me = useMe()
  const reason = me && !me.is_admin ? ADMIN_ONLY : null
  const [name, setName] = useState("")
  const [labels, setLabels] = useState("")
  const make = useMutation({
    mutationFn: async () => {
      const wanted = labels.split(",").map((label) => label.trim())
      const body = { name: name.trim() || null, labels: wanted.filter(Boolean) }
      return (await createEnrolmentCode({ body, throwOnError: true })).data
    },
    onSuccess: () => {
      setName("")
      setLabels("")
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!reason) make.mutate()
  }

  if (make.data) {
    const until = new Date(make.data.expires_at).toLocaleTimeString([], { timeStyle: "short" })
    return (
      <ShownOnce
        note={`Run this on the machine, where PHYLON_REDIS_URL must also name the team's Redis. It works once, until ${until}.`}
        onDone={() => make.reset()}
        text={`PHYLON_API_URL=${window.location.origin} phylon worker --enrol ${make.data.code}`}
        title="Enrol a machine"
      />
    )
  }
  return (
    <form className="space-y-4" onSubmit={submit}>
      <FormError error={make.error} />
      <div className="flex flex-wrap items-end gap-3">
        <Field
          autoComplete="off"
          className="min-w-44 grow"
          label="Name of the worker"
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          placeholder="the machine's own name"
          value={name}
        />
        <Field
          autoComplete="off"
          className="min-w-44 grow"
          label="Labels that jobs may ask for"
          onChange={(event) => setLabels(event.target.value)}
          placeholder="a100, night"
          value={labels}
        />
        <Button
          busy={make.isPending}
          className="h-10"
          icon="plus"
          reason={reason}
          type="submit"
          variant="primary"
        >
          Make a code
        </Button>
      </div>
    </form>
  )
}
