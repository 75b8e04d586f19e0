"""Reads server-sent events (WHATWG HTML, "Server-sent events"): lines of text in, messages out."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Message(NamedTuple):
    id: str | None
    """`None` when the message has none of its own; then it does not move the point to resume from."""
    event: str
    data: str


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """Each message that is complete, i.e. ended by an empty line. Comments (keep-alives) are passed over."""
    id: str | None = None
    event, data = "", list[str]()
    for line in lines:
        if not line:
            if data:
                yield Message(id, event or "message", "\n".join(data))
            id, event, data = None, "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "id":
                id = value
            case "event":
                event = value
            case "data":
                data.append(value)
            case _:  # a comment has no name; `retry` is the server's advice for browsers
                pass
