import { EnrolmentCode } from "@/features/settings/EnrolmentCode"
import { Panel } from "@/ui/Panel"

const CODE = "overflow-x-auto rounded-lg bg-sunken px-4 py-2 text-[13px]"

/** How another machine becomes a worker. The one place for whatever helps with that. */
export function AddWorker() {
  return (
    <Panel hint="A machine, or a part of one, that trains for everyone" title="Add a worker">
      <div className="grid gap-5 lg:grid-cols-2">
        <div className="min-w-0 space-y-2">
          <h3 className="font-medium">On this machine</h3>
          <pre className={CODE}>phylon worker</pre>
          <p className="text-[13px] text-ink-soft">
            It offers one slot per GPU. On CPUs it offers one, or as many as <code>--slots 4</code> says;{" "}
            <code>--labels night,big-ram</code> lets jobs ask for it.
          </p>
        </div>
        <div className="min-w-0 space-y-2">
          <h3 className="font-medium">On another machine</h3>
          <p className="text-[13px] text-ink-soft">
            A code lets one machine in, within an hour; later starts need none.{" "}
            <code>phylon workers code</code> makes one, too.
          </p>
          <EnrolmentCode />
        </div>
      </div>
    </Panel>
  )
}
