import type { AuditRecord } from "@/api/accounts"

const CELL = "border-line border-t px-3 py-2 align-top first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5"

/** Records of the audit log; on a narrow screen the table scrolls by itself. */
export function AuditTable({ records }: { records: readonly AuditRecord[] }) {
  return (
    <section aria-label="Records" className="overflow-x-auto">
      <table className="w-full min-w-[760px] border-separate border-spacing-0 text-left text-[13px]">
        <thead>
          <tr>
            {["When", "Who", "Did what", "To what", "Detail", "From"].map((heading) => (
              <th
                className="eyebrow px-3 py-2 first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5"
                key={heading}
                scope="col"
              >
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              <td className={`${CELL} numeric whitespace-nowrap`}>
                <time dateTime={record.at}>
                  {new Date(record.at).toLocaleString([], { dateStyle: "short", timeStyle: "medium" })}
                </time>
              </td>
              <td className={`${CELL} max-w-52 break-words font-medium`}>{record.actor}</td>
              <td className={`${CELL} whitespace-nowrap`}>
                <code>{record.action}</code>
              </td>
              <td className={`${CELL} whitespace-nowrap`}>{record.target}</td>
              <td className={`${CELL} min-w-40 max-w-80 break-words text-ink-soft`}>{detailOf(record)}</td>
              <td className={`${CELL} numeric whitespace-nowrap text-ink-faint`}>{record.address ?? "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function detailOf({ detail }: AuditRecord): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join(" · ")
}
