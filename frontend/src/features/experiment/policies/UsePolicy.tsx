import type { PolicyCard } from "@/api/types"
import { loadingSnippet, playingSnippet } from "@/lib/policies"
import { Button } from "@/ui/Button"
import { copyText } from "@/ui/copyText"
import { Panel } from "@/ui/Panel"

/** How to act with it in Python, and how to let it play, as text to copy. */
export function UsePolicy({ card, run }: { card: PolicyCard; run: number }) {
  const file = `run-${run}-policy.zip`
  return (
    <Panel hint="Needs Phylon and NumPy, neither JAX nor PyTorch" title="Use it">
      <div className="grid gap-4 lg:grid-cols-2">
        <Snippet label="In Python" text={loadingSnippet(card, file)} />
        <Snippet label="In a terminal" text={playingSnippet(run)} />
      </div>
    </Panel>
  )
}

function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1.5 flex items-center justify-between gap-2">
        <span className="eyebrow">{label}</span>
        <Button
          aria-label={`Copy: ${label}`}
          icon="copy"
          onClick={() => copyText(text, "It is on the clipboard")}
          size="small"
        >
          Copy
        </Button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="overflow-x-auto rounded-lg bg-sunken px-4 py-3 text-[13px] leading-6" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
