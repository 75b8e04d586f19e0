import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { forkableQuery } from "@/api/forks"
import { formatInteger } from "@/lib/format"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"

interface ForkButtonProps {
  run: number
  span: number
}

/** Opens the editor with a spec that begins with the weights of this span; where there are none, says why. */
export function ForkButton({ run, span }: ForkButtonProps) {
  const { data } = useQuery(forkableQuery(run))
  if (!data) return null
  const steps = data.spans.find((each) => each.span === span)?.steps
  if (!steps) {
    return (
      <span className="text-[13px] text-ink-faint" title={data.why_not}>
        No checkpoint to fork from
      </span>
    )
  }
  return (
    <Link
      className={buttonStyle("ghost", "small")}
      search={{ fork: run, span }}
      title={`With the weights of step ${formatInteger(steps.at(-1)!)}`}
      to="/new"
    >
      <Icon name="fork" />
      Fork from here
    </Link>
  )
}
