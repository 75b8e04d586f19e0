import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { experimentsQuery, queueQuery } from "@/api/queries"
import { ExperimentPanel } from "@/features/home/ExperimentPanel"
import { FirstStart } from "@/features/home/FirstStart"
import { lastVisit } from "@/features/home/lastVisit"
import { QueuePanel } from "@/features/home/QueuePanel"
import { PageTitle } from "@/features/shell/PageStates"
import { formatAge } from "@/lib/format"
import { useNow } from "@/lib/useNow"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Failure, Loading } from "@/ui/States"

const SHOWN = 6
const WHOLE_QUEUE = { project: null, owner: null, priority: null, limit: 200 }
const ALL = { query: "archived in (yes, no)", sort: "", columns: [] }

/** What runs, what ended since one was here, what failed and why, and one's place in the queue. */
export function HomePage() {
  const [since] = useState(lastVisit)
  const now = useNow()
  const all = useQuery(experimentsQuery(ALL, 0, 1))
  const queue = useQuery(queueQuery(WHOLE_QUEUE))
  if (all.isPending) return <Loading label="Loading" lines={6} />
  if (all.isError)
    return <Failure error={all.error} onRetry={all.refetch} title="The experiments could not be loaded" />
  if (all.data.total === 0) return <FirstStart />
  const moment = new Date(since).toISOString()
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle hint={`You were here ${formatAge(moment, now)}.`}>Home</PageTitle>
        <div className="flex flex-wrap items-center gap-2">
          <Link className={buttonStyle("secondary")} to="/experiments">
            All experiments
          </Link>
          <Link className={buttonStyle("primary")} to="/new">
            <Icon name="plus" />
            New experiment
          </Link>
        </div>
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-2 min-[1900px]:grid-cols-4">
        <ExperimentPanel
          empty="Nothing is running."
          query="status = running"
          shown={SHOWN}
          sort="-created"
          title="Running"
        />
        <QueuePanel queue={queue} />
        <ExperimentPanel
          empty="Nothing has ended since you were here."
          query={`ended > "${moment}" and status != failed`}
          shown={SHOWN}
          sort="-ended"
          title="Ended since you were here"
        />
        <ExperimentPanel
          empty="Nothing failed in the last seven days."
          query="status = failed and created > 7d"
          shown={SHOWN}
          sort="-created"
          title="Failed"
        />
      </div>
    </div>
  )
}
