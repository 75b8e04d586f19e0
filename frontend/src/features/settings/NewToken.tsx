import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { Scope } from "@/api/accounts"
import { createToken } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { Button } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Panel } from "@/ui/Panel"
import { ShownOnce } from "@/ui/ShownOnce"

const MEANINGS: Record<Scope, string> = {
  read: "see what you see",
  write: "submit, and change what is yours",
  admin: "act as an admin where you are one",
}

/** Makes a token and shows it this once. */
export function NewToken() {
  const me = useMe()
  const queryClient = useQueryClient()
  const [name, setName] = useState("")
  const [days, setDays] = useState("30")
  const [scopes, setScopes] = useState<Scope[]>([Scope.READ, Scope.WRITE])
  const make = useMutation({
    mutationFn: async () =>
      (await createToken({ body: { name, days: Number(days), scopes }, throwOnError: true })).data,
    onSuccess: () => {
      setName("")
      void queryClient.invalidateQueries({ queryKey: ["tokens"] })
    },
  })
  const isAdmin = me?.is_admin || me?.projects.some(({ role }) => role === "admin")
  const offered = Object.values(Scope).filter((scope) => scope !== "admin" || isAdmin)

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  return (
    <Panel hint="For scripts and the command line: set PHYLON_TOKEN to it" title="New token">
      {make.data ? (
        <ShownOnce
          note={`It counts until ${new Date(make.data.expires_at).toLocaleDateString()}, for you alone.`}
          onDone={() => make.reset()}
          text={make.data.secret}
          title={`The token ${make.data.name}`}
        />
      ) : (
        <form className="space-y-4 pt-1" onSubmit={submit}>
          <FormError error={make.error} />
          <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_140px]">
            <Field
              label="What it is for"
              maxLength={100}
              onChange={(event) => setName(event.target.value)}
              pattern=".*\S.*"
              placeholder="nightly sweep"
              required
              value={name}
            />
            <Field
              label="Days until it expires"
              max={365}
              min={1}
              onChange={(event) => setDays(event.target.value)}
              required
              type="number"
              value={days}
            />
          </div>
          <fieldset>
            <legend className="mb-1 font-medium text-[13px]">It may</legend>
            {offered.map((scope) => (
              <label className="flex cursor-pointer items-center gap-2 py-0.5" key={scope}>
                <input
                  checked={scopes.includes(scope)}
                  className="size-4 accent-accent"
                  onChange={({ target }) =>
                    setScopes(target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                  }
                  type="checkbox"
                />
                <span>
                  <code>{scope}</code>
                  <span className="text-ink-soft">{`: ${MEANINGS[scope]}`}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <Button
            busy={make.isPending}
            disabled={scopes.length === 0}
            icon="plus"
            title={scopes.length === 0 ? "Choose at least one scope" : undefined}
            type="submit"
            variant="primary"
          >
            Make a token
          </Button>
        </form>
      )}
    </Panel>
  )
}
