import { useQuery } from "@tanstack/react-query"
import { type SignIn, signInsQuery } from "@/api/accounts"
import { endSignIn } from "@/api/generated/sdk.gen"
import { ROW, Rows } from "@/features/settings/Rows"
import { useChange } from "@/features/settings/useChange"
import { browserName } from "@/lib/browserName"
import { formatAge } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"
import { Tag } from "@/ui/StatusChip"

/** The browsers in which one is signed in. */
export function SignInList() {
  const signIns = useQuery(signInsQuery)
  const others = signIns.data?.filter(({ is_current }) => !is_current) ?? []
  const end = useChange(
    (ids: string[]) => Promise.all(ids.map((id) => endSignIn({ path: { id }, throwOnError: true }))),
    ["sign-ins"],
    "The sign-in could not be ended",
  )
  return (
    <Panel
      actions={
        others.length > 1 && (
          <Button
            busy={end.isPending}
            onClick={() => end.mutate(others.map(({ id }) => id))}
            size="small"
            variant="danger"
          >
            End all others
          </Button>
        )
      }
      flush
      hint="One ends after 12 hours without use, or after 7 days"
      title="Where you are signed in"
    >
      <Rows empty="Nowhere" icon="system" noun="sign-ins" query={signIns}>
        {(signIn) => <SignInRow key={signIn.id} onEnd={() => end.mutate([signIn.id])} signIn={signIn} />}
      </Rows>
    </Panel>
  )
}

function SignInRow({ signIn, onEnd }: { signIn: SignIn; onEnd: () => void }) {
  const now = useNow(10_000)
  const name = browserName(signIn.browser)
  return (
    <li className={ROW}>
      <div className="min-w-0 grow">
        <p className="flex items-center gap-2 truncate font-medium">
          {name}
          {signIn.is_current && <Tag tone="good">this browser</Tag>}
        </p>
        <p className="truncate text-[13px] text-ink-faint">
          {[
            signIn.address,
            `signed in ${formatAge(signIn.created_at, now)}`,
            `last used ${formatAge(signIn.last_seen_at, now)}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {!signIn.is_current && (
        <Button
          aria-label={`End the sign-in of ${name}, last used ${formatAge(signIn.last_seen_at, now)}`}
          onClick={onEnd}
          size="small"
          variant="ghost"
        >
          End
        </Button>
      )}
    </li>
  )
}
