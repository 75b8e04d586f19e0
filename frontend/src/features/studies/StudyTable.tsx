import { formatBytes, formatSeconds, formatValue } from "@/lib/format"
import { contenderOf, type Row } from "@/lib/studies"
import { Panel } from "@/ui/Panel"
import { Tag } from "@/ui/StatusChip"

const CELL = "h-10 whitespace-nowrap border-line border-b px-3 first:pl-5 last:pr-5"
const HEADINGS = ["Members", "ms/update", "Quartiles", "Speed-up", "First call", "Memory"]
const WORDS = { out_of_memory: "out of memory", failed: "failed", not_applicable: "not applicable", ok: "" }

/** Every cell in numbers; a cell without a number says why. */
export function StudyTable({ rows, several }: { rows: readonly Row[]; several: boolean }) {
  return (
    <Panel flush title="All cells">
      <div className="max-h-[640px] overflow-auto">
        <table className="w-full border-separate border-spacing-0 text-left">
          <thead>
            <tr className="eyebrow">
              {several && <th className={CELL}>Study</th>}
              <th className={CELL}>Algorithm</th>
              <th className={CELL}>Contender</th>
              {HEADINGS.map((title) => (
                <th className={`${CELL} text-right`} key={title}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Cells
                key={`${row.study.id} ${row.measurement.algorithm} ${contenderOf(row.measurement)} ${row.measurement.population_size}`}
                row={row}
                several={several}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Cells({ row: { study, measurement: cell, speedup }, several }: { row: Row; several: boolean }) {
  const number = `${CELL} numeric text-right`
  return (
    <tr>
      {several && <td className={CELL}>{`${study.name} (${study.id})`}</td>}
      <td className={CELL}>{cell.algorithm}</td>
      <td className={CELL} title={cell.note ?? undefined}>
        {contenderOf(cell)}
      </td>
      <td className={number}>{cell.population_size}</td>
      {cell.status === "ok" ? (
        <>
          <td className={`${number} font-medium`}>{formatValue(cell.median)}</td>
          <td className={number}>{`${formatValue(cell.low)} – ${formatValue(cell.high)}`}</td>
          <td className={number}>{speedup === null ? "–" : `${speedup.toFixed(2)}×`}</td>
          <td className={number}>{formatSeconds(cell.compile_seconds)}</td>
          <td className={number}>
            {cell.peak_memory_bytes === null ? "–" : formatBytes(cell.peak_memory_bytes)}
          </td>
        </>
      ) : (
        <td
          className={`${CELL} max-w-md truncate text-ink-soft`}
          colSpan={5}
          title={cell.reason ?? undefined}
        >
          <Tag tone={cell.status === "not_applicable" ? "neutral" : "warn"}>{WORDS[cell.status]}</Tag>
          <span className="ml-2">{cell.reason}</span>
        </td>
      )}
    </tr>
  )
}
