import type { Worker } from "@/api/types"
import { Icon } from "@/ui/Icon"

/** What is installed there; a package that differs from the service's is flagged. */
export function Versions({ worker: { versions, differing_versions } }: { worker: Worker }) {
  const differing = Object.entries(differing_versions)
  const same = Object.entries(versions).filter(([name]) => !(name in differing_versions))
  return (
    <div className="numeric mt-4 border-line border-t pt-3 text-[13px] text-ink-faint">
      {differing.length > 0 && (
        <p className="mb-1 flex gap-1.5 text-warn">
          <Icon name="alert" />
          <span>
            {"Other versions than the service: "}
            {differing.map(([name, own]) => `${name} ${versions[name]} (service: ${own})`).join(", ")}
          </span>
        </p>
      )}
      {same.map(([name, version]) => `${name} ${version}`).join(" · ")}
    </div>
  )
}
