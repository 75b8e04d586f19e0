import type { PolicyCard } from "@/api/types"
import { decodeNumber } from "@/lib/decode"
import { formatInteger, formatName, formatSlot, formatValue } from "@/lib/format"
import { Panel } from "@/ui/Panel"

const CELL = "border-line border-b px-3 py-2.5 first:pl-5 last:pr-5"

type Ancestry = NonNullable<PolicyCard["provenance"]["ancestry"]>

/** The stretches of life that the policy's weights went through, its founder first. */
export function PolicyAncestry({ ancestry }: { ancestry: Ancestry }) {
  const names = [...new Set(ancestry.flatMap(({ hyperparams }) => Object.keys(hyperparams)))]
  return (
    <Panel flush hint="From its founder to the policy" title="Ancestry">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="relative overflow-x-auto" tabIndex={0}>
        <table className="w-full border-separate border-spacing-0 text-left">
          <thead>
            <tr className="eyebrow">
              {["Span", "Member", "From step", "By", ...names.map(formatName)].map((title) => (
                <th className={`${CELL} whitespace-nowrap`} key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="numeric">
            {ancestry.map((each) => (
              <tr key={each.span}>
                <td className={CELL}>{each.span}</td>
                <td className={CELL}>{formatSlot(each.member)}</td>
                <td className={CELL}>{formatInteger(each.step)}</td>
                <td className={CELL}>{each.operator}</td>
                {names.map((name) => (
                  <td className={CELL} key={name}>
                    {formatValue(decodeNumber(each.hyperparams[name] ?? "NaN"))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
