import { useMutation } from "@tanstack/react-query"
import type { ChangeEvent } from "react"
import { readRayLineage } from "@/api/lineage"
import { ResultsImport } from "@/features/imports/ResultsImport"
import { ImportedLineage } from "@/features/lineageImport/ImportedLineage"
import { PageTitle } from "@/features/shell/PageStates"
import { buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Failure } from "@/ui/States"

/** Ray's mutation logs, recognised by name. */
const LOG = /^pb[t2]_(global|policy_.+)\.txt$/

async function readFiles(files: readonly File[]) {
  const logs = files.filter(({ name }) => LOG.test(name))
  // Without any such log all files are sent: the service then reports what is missing.
  const texts = (logs.length ? logs : files).map(
    async (file): Promise<[string, string]> => [file.name, await file.text()],
  )
  return readRayLineage(Object.fromEntries(await Promise.all(texts)))
}

/** Results of other programs, which are stored; and the lineage of a run of Ray Tune, which is drawn and not stored. */
export function ImportPage() {
  const reading = useMutation({ mutationFn: readFiles })

  function onChange(event: ChangeEvent<HTMLInputElement>) {
    const files = [...(event.target.files ?? [])]
    event.target.value = "" // so that the same file can be chosen again
    if (files.length > 0) reading.mutate(files)
  }

  return (
    <div className="space-y-5">
      <PageTitle>Import</PageTitle>
      <ResultsImport />
      <Panel title="Lineage of Ray Tune">
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="max-w-3xl text-ink-soft">
            Choose <code>pbt_global.txt</code> from the folder of a Ray Tune experiment, or all of its{" "}
            <code>pbt_policy_*.txt</code>. Ray's logs record which trial cloned which, when, and the new
            values; they contain neither returns nor the first values of trials that were never cloned. Steps
            are Ray's iterations. Nothing is stored.
          </p>
          <label className={`${buttonStyle("secondary")} cursor-pointer focus-within:outline-2`}>
            <Icon name="plus" />
            Choose Ray's logs
            <input accept=".txt" className="sr-only" multiple onChange={onChange} type="file" />
          </label>
        </div>
        {reading.isError && <Failure error={reading.error} title="These files could not be read" />}
      </Panel>
      {reading.data && (
        <ImportedLineage key={reading.submittedAt} name={reading.submittedAt} wire={reading.data} />
      )}
    </div>
  )
}
