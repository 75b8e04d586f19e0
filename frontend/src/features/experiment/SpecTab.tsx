import { Link } from "@tanstack/react-router"
import type { Experiment } from "@/api/types"
import { saveText } from "@/lib/saveText"
import { Button, buttonStyle } from "@/ui/Button"
import { copyText } from "@/ui/copyText"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { YamlEditor } from "@/ui/YamlEditor"

/** The spec as submitted. */
export function SpecTab({ experiment }: { experiment: Experiment }) {
  return (
    <Panel
      actions={
        <>
          <Button
            icon="copy"
            onClick={() => copyText(experiment.yaml, "The spec is on the clipboard")}
            size="small"
          >
            Copy
          </Button>
          <Button
            icon="download"
            onClick={() => saveText(`${experiment.name}.yaml`, experiment.yaml)}
            size="small"
          >
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
      <YamlEditor className="border-line border-t" label="Spec of this experiment" value={experiment.yaml} />
    </Panel>
  )
}
