import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { Me } from "@/api/accounts"
import { useEnter } from "@/features/account/useEnter"
import { Button } from "@/ui/Button"
import { Field, PasswordField } from "@/ui/Field"
import { FormError } from "@/ui/FormError"

export interface NewPerson {
  email: string
  name: string
  password: string
}

interface PersonFormProps {
  /** Known beforehand, and not to be changed; null when it is asked for. */
  email: string | null
  /** Whether a name is asked for; it is not, of people who have one. */
  named: boolean
  action: string
  send: (person: NewPerson) => Promise<Me>
}

/** Name and a new password; submitting it signs in. */
export function PersonForm({ email: known, named, action, send }: PersonFormProps) {
  const [email, setEmail] = useState(known ?? "")
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const enter = useEnter()
  const sending = useMutation({ mutationFn: send, onSuccess: enter })

  function submit(event: FormEvent) {
    event.preventDefault()
    sending.mutate({ email, name, password })
  }

  return (
    <form className="space-y-4" onSubmit={submit}>
      <FormError error={sending.error} />
      <Field
        autoComplete="username"
        autoFocus={known === null}
        label="E-mail address"
        onChange={(event) => setEmail(event.target.value)}
        readOnly={known !== null}
        required
        type="email"
        value={email}
      />
      {named && (
        <Field
          autoComplete="name"
          autoFocus={known !== null}
          hint="As your colleagues will see it."
          label="Your name"
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          pattern=".*\S.*"
          required
          value={name}
        />
      )}
      <PasswordField fresh label="New password" onChange={setPassword} value={password} />
      <Button busy={sending.isPending} className="w-full" size="large" type="submit" variant="primary">
        {action}
      </Button>
    </form>
  )
}
