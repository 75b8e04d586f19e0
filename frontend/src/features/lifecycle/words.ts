import type { Verb } from "@/lib/lifecycle"
import type { IconName } from "@/ui/Icon"

interface Words {
  label: string
  icon: IconName
  /** After it was done. */
  done: string
  detail: string
  /** What could not be done, after "could not be". */
  participle: string
}

/** How each verb is called everywhere. */
export const WORDS: Record<Verb, Words> = {
  stop: {
    label: "Stop",
    icon: "stop",
    done: "Stopping",
    detail: "What runs ends at its next segment, with a checkpoint; what waits has left the queue.",
    participle: "stopped",
  },
  pause: {
    label: "Pause",
    icon: "pause",
    done: "Pausing",
    detail: "It keeps its checkpoint and waits from its next segment on, until it is resumed.",
    participle: "paused",
  },
  resume: {
    label: "Resume",
    icon: "play",
    done: "Going on",
    detail: "It goes on from its newest checkpoint as soon as a worker has room.",
    participle: "resumed",
  },
  retry: {
    label: "Retry",
    icon: "retry",
    done: "Trying again",
    detail: "It goes on from its newest checkpoint, with all its attempts.",
    participle: "retried",
  },
  extend: {
    label: "Extend",
    icon: "extend",
    done: "Extended",
    detail: "It goes on to the larger budget as soon as a worker has room.",
    participle: "extended",
  },
}

/** What a stop means, shown before one is asked for. */
export const STOP_WARNING =
  "What runs ends at its next segment and writes a checkpoint; what waits leaves the queue. Everything recorded is kept, and it can be resumed later."
