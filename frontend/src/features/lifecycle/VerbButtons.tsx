import { useWhyNotChange } from "@/features/account/useMe"
import { ExtendDialog } from "@/features/lifecycle/ExtendDialog"
import { type Target, useVerb } from "@/features/lifecycle/useVerb"
import { STOP_WARNING, WORDS } from "@/features/lifecycle/words"
import type { Verb } from "@/lib/lifecycle"
import { Button, type ButtonSize } from "@/ui/Button"
import { ConfirmDialog } from "@/ui/ConfirmDialog"
import { notify, notifyFailure } from "@/ui/Toasts"

interface VerbButtonsProps {
  target: Target
  /** Whose work it is, which decides who may change it. */
  owned: Parameters<typeof useWhyNotChange>[0]
  verbs: readonly Verb[]
  /** A run of the target, whose budget an extension starts from. */
  run?: number
  /** Added to each label, such as "all". */
  scope?: string
  size?: ButtonSize
  /** In a list, what the button is for, which a screen reader cannot know from its place. */
  of?: string
}

/** One button for each thing that can be done with this work now. */
export function VerbButtons({ target, owned, verbs, run, scope, size, of }: VerbButtonsProps) {
  const act = useVerb(target)
  const reason = useWhyNotChange(owned)
  const pending = act.isPending ? act.variables.verb : null

  function perform(verb: Verb) {
    const { done, detail, participle } = WORDS[verb]
    act.mutate(
      { verb },
      {
        onSuccess: () => notify({ tone: "info", title: done, detail }),
        onError: (error) => notifyFailure(`${target.name} could not be ${participle}`, error),
      },
    )
  }

  return verbs.map((verb) => {
    const { label, icon } = WORDS[verb]
    const button = (
      <Button
        aria-label={of && `${label} ${of}`}
        busy={pending === verb}
        disabled={act.isPending}
        icon={icon}
        key={verb}
        reason={reason}
        onClick={verb === "stop" || verb === "extend" ? undefined : () => perform(verb)}
        size={size}
        variant={verb === "stop" ? "danger" : "secondary"}
      >
        {scope ? `${label} ${scope}` : label}
      </Button>
    )
    if (verb === "extend")
      return run === undefined ? null : <ExtendDialog key={verb} run={run} target={target} trigger={button} />
    if (verb !== "stop") return button
    return (
      <ConfirmDialog
        confirm={scope ? `Stop ${scope}` : "Stop"}
        key={verb}
        onConfirm={() => perform("stop")}
        title={`Stop ${target.name}?`}
        trigger={button}
      >
        {STOP_WARNING}
      </ConfirmDialog>
    )
  })
}
