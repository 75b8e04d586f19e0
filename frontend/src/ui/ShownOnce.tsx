import { useEffect, useRef } from "react"
import { Button } from "@/ui/Button"
import { copyText } from "@/ui/copyText"

interface ShownOnceProps {
  title: string
  /** The secret, link or command. */
  text: string
  /** How long it counts, and for whom it is. */
  note: string
  onDone: () => void
}

/** Something that cannot be shown again: to be copied now. It takes the focus when it appears. */
export function ShownOnce({ title, text, note, onDone }: ShownOnceProps) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <section
      aria-label={title}
      className="rounded-lg border border-accent bg-accent-soft p-4"
      ref={box}
      tabIndex={-1}
    >
      <p className="font-medium">{title}</p>
      <pre className="mt-2 select-all whitespace-pre-wrap break-all rounded-md bg-surface px-3 py-2">
        {text}
      </pre>
      <p className="mt-2 text-[13px] text-ink-soft">{note} It is not shown again.</p>
      <div className="mt-3 flex gap-2">
        <Button icon="copy" onClick={() => copyText(text, "Copied")} size="small" variant="primary">
          Copy
        </Button>
        <Button onClick={onDone} size="small">
          Done
        </Button>
      </div>
    </section>
  )
}
