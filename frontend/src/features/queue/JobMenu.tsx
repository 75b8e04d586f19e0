import { useMutation, useQueryClient } from "@tanstack/react-query"
import { DropdownMenu } from "radix-ui"
import { changeJob } from "@/api/generated/sdk.gen"
import { Priority, type QueueJob } from "@/api/types"
import { type Target, useVerb } from "@/features/lifecycle/useVerb"
import { STOP_WARNING, WORDS } from "@/features/lifecycle/words"
import type { Verb } from "@/lib/lifecycle"
import { jobName } from "@/lib/queue"
import { IconButton } from "@/ui/Button"
import { Icon, type IconName } from "@/ui/Icon"
import { MENU, MENU_HEADING, MENU_ITEM } from "@/ui/menuStyle"
import { notify, notifyFailure } from "@/ui/Toasts"

interface JobMenuProps {
  job: QueueJob
  verbs: readonly Verb[]
  /** Whether it has a place in the queue that can change. */
  waits?: boolean
}

interface Change {
  priority?: Priority
  to?: "front" | "back"
}

/** All that one may do with a job; nothing for jobs of others. */
export function JobMenu({ job, verbs, waits = false }: JobMenuProps) {
  const target = targetOf(job)
  if (!job.may_change || target === null) return null
  return <Menu job={job} target={target} verbs={verbs} waits={waits} />
}

function targetOf(job: QueueJob): Target | null {
  return job.payload_id === null ? null : { kind: job.kind, id: job.payload_id, name: jobName(job) }
}

function Menu({ job, verbs, waits, target }: JobMenuProps & { target: Target }) {
  const queryClient = useQueryClient()
  const act = useVerb(target)
  const change = useMutation({
    mutationFn: (body: Change) => changeJob({ path: { id: job.id }, body, throwOnError: true }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["queue"] }),
    onError: (error) => notifyFailure(`${target.name} could not be moved`, error),
  })
  const perform = (verb: Verb) =>
    act.mutate(
      { verb },
      {
        onSuccess: () => notify({ tone: "info", title: WORDS[verb].done, detail: WORDS[verb].detail }),
        onError: (error) => notifyFailure(`${target.name} could not be ${WORDS[verb].participle}`, error),
      },
    )
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <IconButton
          aria-busy={act.isPending || change.isPending || undefined}
          aria-label={`Actions of job ${job.id}, ${target.name}`}
          icon="more"
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" className={MENU} collisionPadding={12} sideOffset={4}>
          {waits && (
            <>
              <Item
                icon="arrowUp"
                label="Move to the front"
                onSelect={() => change.mutate({ to: "front" })}
              />
              <Item
                icon="arrowDown"
                label="Move to the back"
                onSelect={() => change.mutate({ to: "back" })}
              />
              <DropdownMenu.Label className={MENU_HEADING}>Class</DropdownMenu.Label>
              <DropdownMenu.RadioGroup
                onValueChange={(priority) => change.mutate({ priority: priority as Priority })}
                value={job.priority}
              >
                {Object.values(Priority)
                  .toReversed()
                  .map((priority) => (
                    <DropdownMenu.RadioItem className={MENU_ITEM} key={priority} value={priority}>
                      <span className="inline-flex size-4 items-center justify-center text-accent">
                        <DropdownMenu.ItemIndicator>
                          <Icon name="check" size={14} />
                        </DropdownMenu.ItemIndicator>
                      </span>
                      <span className="capitalize">{priority}</span>
                    </DropdownMenu.RadioItem>
                  ))}
              </DropdownMenu.RadioGroup>
              <DropdownMenu.Separator className="my-1.5 h-px bg-line" />
            </>
          )}
          {verbs.map((verb) => (
            <Item
              icon={WORDS[verb].icon}
              key={verb}
              label={WORDS[verb].label}
              onSelect={() => perform(verb)}
              title={verb === "stop" ? STOP_WARNING : WORDS[verb].detail}
            />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface ItemProps {
  icon: IconName
  label: string
  title?: string
  onSelect: () => void
}

function Item({ icon, label, title, onSelect }: ItemProps) {
  return (
    <DropdownMenu.Item className={MENU_ITEM} onSelect={onSelect} title={title}>
      <span className="text-ink-faint">
        <Icon name={icon} />
      </span>
      {label}
    </DropdownMenu.Item>
  )
}
