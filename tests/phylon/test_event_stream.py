"""Server-sent events: the reader follows the standard's rules for lines, comments and half messages."""

import pytest

from phylon.event_stream import Message, messages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data: one\n\n", [Message(None, "message", "one")]),
        ("id: 1-4\nevent: metrics\ndata: {}\n\n", [Message("1-4", "metrics", "{}")]),
        ("data: a\ndata: b\n\n", [Message(None, "message", "a\nb")]),
        (": keep-alive\n\ndata:x\n\n", [Message(None, "message", "x")]),
        ("data:  two spaces\n\n", [Message(None, "message", " two spaces")]),
        ("retry: 1000\ndata: x\n\n", [Message(None, "message", "x")]),
        ("id: 1-1\ndata: x\n\ndata: y\n\n", [Message("1-1", "message", "x"), Message(None, "message", "y")]),
        ("event: half\ndata: never ended", []),
        ("event: without data\n\ndata: next\n\n", [Message(None, "message", "next")]),
    ],
)
def test_messages(text: str, expected: list[Message]):
    assert list(messages(text.splitlines())) == expected
