import { Link } from "@tanstack/react-router"
import type { Experiment } from "@/api/types"
import { saveText } from "@/lib/saveText"
import { Button, buttonStyle } from "@/ui/Button"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { notify, notifyFailure } from "@/ui/Toasts"
import { YamlEditor } from "@/ui/YamlEditor"

/** The spec as it was submitted, complete with defaults. */
export function SpecTab({ experiment }: { experiment: Experiment }) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(experiment.yaml)
      notify({ tone: "good", title: "The spec is on the clipboard" })
    } catch (error) {
      notifyFailure("The browser did not allow copying", error)
    }
  }
  return (
    <Panel
      actions={
        <>
          <Button icon="copy" onClick={copy} size="small">
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
