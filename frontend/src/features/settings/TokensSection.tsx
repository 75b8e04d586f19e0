import { useQuery } from "@tanstack/react-query"
import { type Token, tokensQuery } from "@/api/accounts"
import { revokeToken } from "@/api/generated/sdk.gen"
import { NewToken } from "@/features/settings/NewToken"
import { ROW, Rows } from "@/features/settings/Rows"
import { useChange } from "@/features/settings/useChange"
import { formatAge } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { Button } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { Panel } from "@/ui/Panel"
import { Tag } from "@/ui/StatusChip"

/** What stands for oneself in scripts and on the command line. */
export function TokensSection() {
  const tokens = useQuery(tokensQuery)
  return (
    <>
      <NewToken />
      <Panel flush hint="Each stands for you, within its scopes" title="Your tokens">
        <Rows
          empty="No tokens yet"
          hint="Make one above for a script, or run phylon login on the machine where you work."
          icon="key"
          noun="tokens"
          query={tokens}
        >
          {(token) => <TokenRow key={token.id} token={token} />}
        </Rows>
      </Panel>
    </>
  )
}

function TokenRow({ token }: { token: Token }) {
  const now = useNow(10_000)
  const expired = Date.parse(token.expires_at) <= now
  const revoke = useChange(
    () => revokeToken({ path: { id: token.id }, throwOnError: true }),
    ["tokens"],
    "The token could not be revoked",
  )
  return (
    <li className={ROW}>
      <div className="min-w-0 grow basis-56">
        <p className="flex flex-wrap items-center gap-1.5">
          <span className="mr-1 min-w-0 truncate font-medium">{token.name}</span>
          {token.scopes.map((scope) => (
            <Tag key={scope} tone={scope === "admin" ? "warn" : "neutral"}>
              {scope}
            </Tag>
          ))}
          {expired && <Tag tone="bad">expired</Tag>}
        </p>
        <p className="text-[13px] text-ink-faint">
          {token.last_used_at ? `Last used ${formatAge(token.last_used_at, now)}` : "Never used"}
          {` · made ${formatAge(token.created_at, now)} · `}
          {`${expired ? "expired" : "expires"} ${new Date(token.expires_at).toLocaleDateString()}`}
        </p>
      </div>
      <ConfirmDialog
        confirm="Revoke"
        onConfirm={() => revoke.mutate(undefined)}
        title={`Revoke ${token.name}?`}
        trigger={
          <Button
            aria-label={`Revoke ${token.name}`}
            busy={revoke.isPending}
            icon="trash"
            size="small"
            variant="ghost"
          >
            Revoke
          </Button>
        }
      >
        Scripts that use it are refused from now on. What they have started goes on.
      </ConfirmDialog>
    </li>
  )
}
