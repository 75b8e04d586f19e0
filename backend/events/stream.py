from typing import NamedTuple


class Position(NamedTuple):
    """The last message that a reader has seen."""

    attempt: int
    seq: int
