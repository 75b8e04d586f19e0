import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { stringify } from "yaml"
import type { Experiment } from "@/api/types"
import { saveText } from "@/lib/saveText"
import { Button, buttonStyle } from "@/ui/Button"
import { copyText } from "@/ui/copyText"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { Segmented } from "@/ui/Segmented"
import { YamlEditor } from "@/ui/YamlEditor"

const VIEWS = [
  { value: "written", label: "Written", title: "The spec as it was submitted" },
  { value: "resolved", label: "Resolved", title: "The complete spec that the runs use, with every default" },
] as const

/** The spec as submitted, and as it runs. */
export function SpecTab({ experiment }: { experiment: Experiment }) {
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("written")
  const yaml = view === "written" ? experiment.yaml : stringify(experiment.spec)
  return (
    <Panel
      actions={
        <>
          <Segmented label="View of the spec" onChange={setView} options={VIEWS} value={view} />
          <Button icon="copy" onClick={() => copyText(yaml, "The spec is on the clipboard")} size="small">
            Copy
          </Button>
          <Button icon="download" onClick={() => saveText(`${experiment.name}.yaml`, yaml)} size="small">
            Download
          </Button>
          <Link className={buttonStyle("secondary", "small")} search={{ from: experiment.id }} to="/new">
            <Icon name="template" />
            Use as template
          </Link>
        </>
      }
      flush
      hint="Everything needed to run this experiment again"
      title="Spec"
    >
      <YamlEditor className="border-line border-t" label="Spec of this experiment" value={yaml} />
    </Panel>
  )
}
