/** The browser's EventSource, spoken through by the test. */
export class FakeEventSource extends EventTarget {
  static CONNECTING = 0
  static OPEN = 1
  static CLOSED = 2
  static opened: FakeEventSource[] = []

  readyState = FakeEventSource.OPEN
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null

  constructor(readonly url: string) {
    super()
    FakeEventSource.opened.push(this)
  }

  static get last(): FakeEventSource {
    const source = FakeEventSource.opened.at(-1)
    if (!source) throw new Error("no stream was opened")
    return source
  }

  /** What the stream says of a run or a study. */
  say(event: string, message: unknown, position = "", subject = { kind: "run", id: 7 }): void {
    const data = JSON.stringify({ ...subject, position: position || null, message })
    this.dispatchEvent(new MessageEvent(event, { data }))
  }

  /** The server refused: the browser gives up. */
  refuse(): void {
    this.readyState = FakeEventSource.CLOSED
    this.onerror?.()
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED
  }
}
