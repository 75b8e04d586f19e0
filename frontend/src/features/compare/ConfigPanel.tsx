import type { Comparison } from "@/api/types"
import { ArmName } from "@/features/compare/ArmName"
import type { MarkedArm } from "@/features/compare/arms"
import { Panel } from "@/ui/Panel"
import { Empty } from "@/ui/States"
import { CELL, HEADING } from "@/ui/tableStyle"

/** Fields of the resolved specs that differ, and no others. */
export function ConfigPanel({ arms, comparison }: { arms: readonly MarkedArm[]; comparison: Comparison }) {
  const { config } = comparison
  return (
    <Panel
      hint="Fields of the resolved specs that differ; names and seeds are no settings"
      title="What differs"
    >
      {config.length === 0 ? (
        <Empty compact title={arms.length > 1 ? "The specs are the same" : "One arm differs from nothing"} />
      ) : (
        <div className="overflow-x-auto">
          <table className="w-full text-left">
            <thead>
              <tr>
                <th className={HEADING}>Field</th>
                {arms.map((marked) => (
                  <th className={HEADING} key={marked.arm.key}>
                    <ArmName {...marked} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {config.map(({ path, values }) => (
                <tr key={path}>
                  <th className={`${CELL} whitespace-nowrap font-mono font-normal text-[13px]`} scope="row">
                    {path}
                  </th>
                  {arms.map(({ arm }, index) => (
                    <td className={`${CELL} max-w-72 break-words font-mono text-[13px]`} key={arm.key}>
                      {write(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

function write(value: unknown): string {
  if (value === null || value === undefined) return "–"
  return typeof value === "string" ? value : JSON.stringify(value)
}
