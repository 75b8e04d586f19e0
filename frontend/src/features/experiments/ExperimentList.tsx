import { useState } from "react"
import { type TableRequest, WINDOW } from "@/api/queries"
import { ExperimentCards } from "@/features/experiments/ExperimentCards"
import type { Selection } from "@/features/experiments/useSelection"
import { useWindows } from "@/features/experiments/useWindows"
import { formatValue } from "@/lib/format"
import { Button } from "@/ui/Button"
import { Failure, Loading } from "@/ui/States"

/** The table for narrow screens: cards, and more of them on request. */
export function ExperimentList({ request, selection }: { request: TableRequest; selection: Selection }) {
  const [shown, setShown] = useState(WINDOW)
  const rows = useWindows(request, 0, shown - 1)
  if (rows.error)
    return <Failure error={rows.error} onRetry={rows.retry} title="The experiments could not be loaded" />
  if (rows.total === undefined) return <Loading label="Loading experiments" lines={6} />
  const places = Array.from({ length: Math.min(shown, rows.total) }, (_, place) => place)
  return (
    <>
      <ExperimentCards
        experiments={places.map(rows.at).filter((row) => row !== undefined)}
        figure={({ final_return, last_return }) =>
          final_return === null ? `last ${formatValue(last_return)}` : `final ${formatValue(final_return)}`
        }
        selection={selection}
      />
      {shown < rows.total && (
        <div className="flex justify-center p-3">
          <Button onClick={() => setShown(shown + WINDOW)} size="small">
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
