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

  say(kind: string, data: unknown, id = ""): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId: id }))
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
