import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { auditParameters, auditQuery } from "@/api/accounts"
import { useMe } from "@/features/account/useMe"
import { AuditFilters } from "@/features/settings/AuditFilters"
import { AuditTable } from "@/features/settings/AuditTable"
import { formatInteger } from "@/lib/format"
import { ADMIN_ONLY } from "@/lib/rights"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const route = getRouteApi("/settings/audit")

/** Who did what, for admins of the service. */
export function AuditSection() {
  const wish = route.useSearch()
  const navigate = route.useNavigate()
  const me = useMe()
  const audit = useInfiniteQuery({ ...auditQuery(wish), enabled: me?.is_admin ?? false })
  const records = audit.data?.pages.flatMap(({ items }) => items) ?? []
  const total = audit.data?.pages[0]?.total ?? 0
  const filtered = Object.values(wish).some((value) => value !== undefined)
  if (me && !me.is_admin)
    return (
      <Panel>
        <Empty icon="lock" title="The audit log is for admins">
          {ADMIN_ONLY}
        </Empty>
      </Panel>
    )
  return (
    <Panel
      actions={
        <a className={buttonStyle("secondary", "small")} download href={exportAddress(wish)}>
          <Icon name="download" />
          Export
        </a>
      }
      flush
      hint={audit.data ? `${formatInteger(total)} records, the newest first` : "The newest first"}
      title="Audit log"
    >
      <AuditFilters
        onChange={(change) => navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        wish={wish}
      />
      {audit.isPending && <Loading label="Loading the audit log" lines={8} />}
      {audit.isError && !audit.data && (
        <Failure error={audit.error} onRetry={() => audit.refetch()} title="The log could not be loaded" />
      )}
      {audit.data && records.length === 0 && (
        <Empty
          action={filtered && <Button onClick={() => navigate({ search: {} })}>Show all records</Button>}
          title={filtered ? "No record is like this" : "Nothing has happened yet"}
        />
      )}
      {records.length > 0 && <AuditTable records={records} />}
      {audit.hasNextPage && (
        <div className="flex justify-center border-line border-t p-3">
          <Button busy={audit.isFetchingNextPage} onClick={() => audit.fetchNextPage()} size="small">
            {`Show more (${formatInteger(records.length)} of ${formatInteger(total)})`}
          </Button>
        </div>
      )}
    </Panel>
  )
}

function exportAddress(wish: Parameters<typeof auditParameters>[0]): string {
  const given = Object.entries(auditParameters(wish)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return `/api/v1/accounts/audit.ndjson?${new URLSearchParams(given)}`
}
