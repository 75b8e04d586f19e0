import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import { type FormEvent, useEffect, useState } from "react"
import { meQuery } from "@/api/accounts"
import { signIn } from "@/api/generated/sdk.gen"
import { AccountFrame } from "@/features/account/AccountFrame"
import { useEnter } from "@/features/account/useEnter"
import { safeAddress } from "@/lib/accountPages"
import { Button } from "@/ui/Button"
import { Field, PasswordField } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Loading } from "@/ui/States"

const route = getRouteApi("/sign-in")

export function SignInPage() {
  const { next, ended } = route.useSearch()
  const me = useQuery({ ...meQuery, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false })
  const enter = useEnter(next)
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const sending = useMutation({
    mutationFn: async () => (await signIn({ body: { email, password }, throwOnError: true })).data,
    onSuccess: enter,
    onError: () => setPassword(""),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    sending.mutate()
  }

  if (me.isPending) return <Loading label="Asking who you are" />
  // Somebody is signed in already, or this service has no accounts.
  if (me.data) return <GoOn address={safeAddress(next)} />
  return (
    <AccountFrame
      hint={ended ? "Your sign-in has ended. Sign in again to go on where you were." : undefined}
      title="Sign in"
    >
      <form className="space-y-4" onSubmit={submit}>
        <FormError error={sending.error} />
        <Field
          autoComplete="username"
          autoFocus
          label="E-mail address"
          onChange={(event) => setEmail(event.target.value)}
          required
          type="email"
          value={email}
        />
        <PasswordField label="Password" onChange={setPassword} value={password} />
        <Button busy={sending.isPending} className="w-full" size="large" type="submit" variant="primary">
          Sign in
        </Button>
      </form>
      <p className="mt-5 text-[13px] text-ink-faint">
        No account, or the password forgotten? An admin can send you an invitation or a link to a new
        password.
      </p>
    </AccountFrame>
  )
}

function GoOn({ address }: { address: string }) {
  const router = useRouter()
  useEffect(() => router.history.replace(address), [router, address])
  return <Loading label="Going on" />
}
