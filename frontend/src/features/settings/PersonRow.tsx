import { useMutation } from "@tanstack/react-query"
import type { Person } from "@/api/accounts"
import { changePerson, createResetLink } from "@/api/generated/sdk.gen"
import { useMe } from "@/features/account/useMe"
import { ROW } from "@/features/settings/Rows"
import { useChange } from "@/features/settings/useChange"
import { ADMIN_ONLY } from "@/lib/rights"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { ShownOnce } from "@/ui/ShownOnce"
import { Tag } from "@/ui/StatusChip"
import { notifyFailure } from "@/ui/Toasts"

/** Someone with an account, and what an admin can do about it. */
export function PersonRow({ person }: { person: Person }) {
  const me = useMe()
  const reason = me?.is_admin ? null : ADMIN_ONLY
  const disabled = person.disabled_at !== null
  const change = useChange(
    (body: { is_admin?: boolean; is_disabled?: boolean }) =>
      changePerson({ path: { id: person.id }, body, throwOnError: true }),
    ["people", "me"],
    `${person.name} could not be changed`,
  )
  const reset = useMutation({
    mutationFn: async () => (await createResetLink({ path: { id: person.id }, throwOnError: true })).data,
    onError: (error) => notifyFailure("There is no link for a new password", error),
  })
  return (
    <li className={ROW}>
      <div className="min-w-0 grow basis-52">
        <p className="flex items-center gap-2">
          <span className="min-w-0 truncate font-medium">{person.name}</span>
          {person.id === me?.id && <Tag tone="good">you</Tag>}
          {person.is_admin && <Tag tone="warn">admin of the service</Tag>}
          {disabled && <Tag tone="bad">disabled</Tag>}
        </p>
        <p className="truncate text-[13px] text-ink-faint">{person.email}</p>
      </div>
      <div className="flex flex-wrap gap-1">
        <ConfirmDialog
          confirm={person.is_admin ? "Remove admin" : "Make admin"}
          onConfirm={() => change.mutate({ is_admin: !person.is_admin })}
          title={person.is_admin ? `Is ${person.name} no longer an admin?` : `Make ${person.name} an admin?`}
          trigger={
            <Button
              aria-label={person.is_admin ? `Remove admin: ${person.name}` : `Make admin: ${person.name}`}
              reason={reason}
              size="small"
              variant="ghost"
            >
              {person.is_admin ? "Remove admin" : "Make admin"}
            </Button>
          }
        >
          An admin of the service sees and may change everything, in all projects.
        </ConfirmDialog>
        <Button
          aria-label={`Reset the password of ${person.name}`}
          busy={reset.isPending}
          onClick={() => reset.mutate()}
          reason={reason ?? (disabled ? "The account is disabled. Enable it first." : null)}
          size="small"
          variant="ghost"
        >
          Reset password
        </Button>
        <ConfirmDialog
          confirm={disabled ? "Enable" : "Disable"}
          onConfirm={() => change.mutate({ is_disabled: !disabled })}
          title={`${disabled ? "Enable" : "Disable"} ${person.name}?`}
          trigger={
            <Button
              aria-label={`${disabled ? "Enable" : "Disable"} ${person.name}`}
              busy={change.isPending}
              reason={reason}
              size="small"
              variant="ghost"
            >
              {disabled ? "Enable" : "Disable"}
            </Button>
          }
        >
          {disabled
            ? "They can sign in again with their password. Tokens stay gone."
            : "All their sign-ins and tokens end at once. What they own stays, and what runs goes on."}
        </ConfirmDialog>
      </div>
      {reset.data && (
        <div className="w-full">
          <ShownOnce
            note={`Hand it to ${person.name} alone; it works once, within 24 hours.`}
            onDone={() => reset.reset()}
            text={reset.data.link}
            title={`A link for a new password of ${person.name}`}
          />
        </div>
      )}
    </li>
  )
}
