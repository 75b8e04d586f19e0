import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { meQuery } from "@/api/accounts"
import { changePassword } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { SignInList } from "@/features/settings/SignInList"
import { useSignOut } from "@/features/shell/UserMenu"
import { Button } from "@/ui/Button"
import { PasswordField } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Panel } from "@/ui/Panel"
import { Loading } from "@/ui/States"
import { notify } from "@/ui/Toasts"

export function AccountSection() {
  const me = useMe()
  const leaving = useSignOut()
  if (!me) return <Loading label="Loading your account" />
  const roles = me.projects.map(({ name, role }) => `${role} of ${name}`)
  return (
    <>
      <Panel
        actions={
          <Button busy={leaving.isPending} icon="signOut" onClick={() => leaving.mutate()}>
            Sign out
          </Button>
        }
        hint={me.email}
        title={me.name}
      >
        <p className="text-ink-soft">
          {[...(me.is_admin ? ["admin of the service"] : []), ...roles].join(", ") ||
            "You belong to no project yet. Ask an admin to add you to one."}
        </p>
      </Panel>
      <PasswordPanel email={me.email} />
      <SignInList />
    </>
  )
}

function PasswordPanel({ email }: { email: string }) {
  const queryClient = useQueryClient()
  const [current, setCurrent] = useState("")
  const [fresh, setFresh] = useState("")
  const change = useMutation({
    mutationFn: async () =>
      (await changePassword({ body: { current, new: fresh }, throwOnError: true })).data,
    onSuccess: (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      void queryClient.invalidateQueries({ queryKey: ["sign-ins"] })
      setCurrent("")
      setFresh("")
      notify({ tone: "good", title: "The password is changed", detail: "All other sign-ins have ended." })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    change.mutate()
  }

  return (
    <Panel hint="A new one ends all other sign-ins; tokens stay" title="Password">
      <form className="max-w-md space-y-4 pt-2" onSubmit={submit}>
        <FormError error={change.error} />
        {/* Tells password managers whose password this is. */}
        <input autoComplete="username" className="hidden" readOnly type="email" value={email} />
        <PasswordField label="Current password" onChange={setCurrent} value={current} />
        <PasswordField fresh label="New password" onChange={setFresh} value={fresh} />
        <Button busy={change.isPending} type="submit" variant="primary">
          Change the password
        </Button>
      </form>
    </Panel>
  )
}
