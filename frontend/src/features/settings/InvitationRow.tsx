import type { Invitation } from "@/api/accounts"
import { withdrawInvitation } from "@/api/generated/sdk.gen"
import { ROW } from "@/features/settings/Rows"
import { useChange } from "@/features/settings/useChange"
import { Button } from "@/ui/Button"

export function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { id, email, project, role, expires_at } = invitation
  const withdraw = useChange(
    () => withdrawInvitation({ path: { id }, throwOnError: true }),
    ["invitations"],
    "The invitation could not be withdrawn",
  )
  return (
    <li className={ROW}>
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{email}</p>
        <p className="truncate text-[13px] text-ink-faint">
          {`${role} of ${project.name} · until ${new Date(expires_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`}
        </p>
      </div>
      <Button
        aria-label={`Withdraw the invitation of ${email}`}
        busy={withdraw.isPending}
        onClick={() => withdraw.mutate(undefined)}
        size="small"
        variant="ghost"
      >
        Withdraw
      </Button>
    </li>
  )
}
