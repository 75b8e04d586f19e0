/** What a page and the worker that all pages share say to each other. */

import type { Message, Subject } from "@/lib/live/hub"

export type ToWorker =
  | { type: "follow"; number: number; subject: Subject }
  | { type: "leave"; number: number }
  /** The page goes away. */
  | { type: "bye" }

export type FromWorker =
  | { type: "message"; number: number; message: Message }
  | { type: "connection"; number: number; connected: boolean }
