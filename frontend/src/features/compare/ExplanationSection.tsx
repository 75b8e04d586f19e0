import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { pooledExplanationQuery } from "@/api/explanations"
import { Explained, ExplanationState } from "@/features/explain/Explained"
import type { CompareSearch } from "@/lib/search"
import { Button } from "@/ui/Button"
import { Panel } from "@/ui/Panel"

/** What hyper-parameters did over all runs of all arms; read when it is asked for, because every evaluation is. */
export function ExplanationSection({ search, active }: { search: CompareSearch; active: boolean }) {
  const [open, setOpen] = useState(false)
  const query = useQuery({ ...pooledExplanationQuery(search, active), enabled: open })
  return (
    <>
      <Panel
        actions={
          <Button aria-expanded={open} onClick={() => setOpen(!open)} size="small">
            {open ? "Hide" : "Explain"}
          </Button>
        }
        hint="What all arms tune, over all of their runs together: which values made progress, and how much of selection was luck"
        title="Hyper-parameters"
      >
        {open && query.data && (
          <p className="text-[13px] text-ink-soft">
            {query.data.run_ids.length} runs, each measured against its own population.
          </p>
        )}
      </Panel>
      {open &&
        (query.data ? (
          <Explained
            explanation={query.data}
            nothing="There is no hyper-parameter that every arm tunes in the same way."
          />
        ) : (
          <ExplanationState query={query} />
        ))}
    </>
  )
}
