import { useQuery } from "@tanstack/react-query"
import { artifactsQuery } from "@/api/queries"
import { isActive, type Run } from "@/api/types"
import { formatAge, formatBytes, formatInteger } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Empty, Failure, Loading } from "@/ui/States"

const CELL = "border-line border-b px-3 py-3 first:pl-5 last:pr-5"

export function CheckpointsTab({ run }: { run: Run }) {
  const artifacts = useQuery(artifactsQuery(run.id, isActive(run.status)))
  const checkpoints = artifacts.data?.filter(({ kind }) => kind === "checkpoint")
  const now = useNow()
  return (
    <Panel flush hint="An interrupted run resumes from the newest one" title="Checkpoints">
      {artifacts.isPending && <Loading label="Loading checkpoints" />}
      {artifacts.isError && !artifacts.data && (
        <Failure
          error={artifacts.error}
          onRetry={() => artifacts.refetch()}
          title="The checkpoints could not be loaded"
        />
      )}
      {checkpoints?.length === 0 && (
        <Empty icon="download" title="No checkpoint yet">
          {isActive(run.status)
            ? "The first one appears here once it is stored."
            : "This run ended before its first checkpoint."}
        </Empty>
      )}
      {checkpoints && checkpoints.length > 0 && (
        <div className="relative overflow-x-auto">
          <table className="w-full border-separate border-spacing-0 text-left">
            <thead>
              <tr className="eyebrow">
                <th className={CELL} scope="col">
                  File
                </th>
                <th className={`${CELL} text-right`} scope="col">
                  Step
                </th>
                <th className={`${CELL} text-right`} scope="col">
                  Size
                </th>
                <th className={CELL} scope="col">
                  SHA-256
                </th>
                <th className={CELL} scope="col">
                  Stored
                </th>
                <th className={CELL} scope="col">
                  <span className="sr-only">Download</span>
                </th>
              </tr>
            </thead>
            <tbody className="numeric">
              {checkpoints.map((artifact) => (
                <tr key={artifact.id}>
                  <td className={`${CELL} font-medium`}>{artifact.name}</td>
                  <td className={`${CELL} text-right`}>{formatInteger(artifact.step)}</td>
                  <td className={`${CELL} text-right`}>{formatBytes(artifact.bytes)}</td>
                  <td className={CELL} title={artifact.sha256}>
                    <code>{artifact.sha256.slice(0, 12)}</code>
                  </td>
                  <td className={`${CELL} whitespace-nowrap text-ink-soft`}>
                    {formatAge(artifact.created_at, now)}
                  </td>
                  <td className={`${CELL} text-right`}>
                    <a
                      aria-label={`Download ${artifact.name}`}
                      className={buttonStyle("secondary", "small")}
                      download={artifact.name}
                      href={`/api/v1/artifacts/${artifact.id}/content`}
                    >
                      <Icon name="download" />
                      Download
                    </a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
