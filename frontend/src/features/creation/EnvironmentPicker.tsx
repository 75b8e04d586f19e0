import { useMemo, useState } from "react"
import { EnvironmentList } from "@/features/creation/EnvironmentList"
import { readEnvironment, writeEnvironment } from "@/lib/specEnvironment"
import { Button } from "@/ui/Button"
import { Sheet } from "@/ui/Sheet"

interface EnvironmentPickerProps {
  yaml: string
  onChange: (yaml: string) => void
  id: string
  describedBy: string | undefined
  /** The environment that is written now; empty for none. */
  name: string
}

/** Writes an environment of the catalogue into the spec's text. */
export function EnvironmentPicker({ yaml, onChange, id, describedBy, name }: EnvironmentPickerProps) {
  const [open, setOpen] = useState(false)
  const current = useMemo(() => readEnvironment(yaml), [yaml])
  return (
    <Sheet
      hint="It is written into the spec; validation then reports whether the algorithm supports it."
      onOpenChange={setOpen}
      open={open}
      title="Choose an environment"
      trigger={
        <Button
          aria-describedby={describedBy}
          aria-label={`Environment: ${name || "choose one"}`}
          className="w-full justify-start!"
          icon="search"
          id={id}
          size="small"
        >
          <span className="truncate">{name || "Choose…"}</span>
        </Button>
      }
      wide
    >
      <EnvironmentList
        current={current ?? {}}
        onChoose={({ suite, id }, isUnique) => {
          onChange(writeEnvironment(yaml, { suite, id }, isUnique))
          setOpen(false)
        }}
      />
    </Sheet>
  )
}
