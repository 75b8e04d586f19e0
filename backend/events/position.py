"""Where a reader of a stream stands. To everyone but this module it is a string that one gets and gives back."""

import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from fastapi import Depends, Header, Query

from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Job

_SEPARATOR = ","
_PATTERN = re.compile(r"(\d{1,9})-(\d{1,15})")


class Position(NamedTuple):
    """The last event that a reader has seen."""

    attempt: int
    seq: int

    def __str__(self) -> str:
        return f"{self.attempt}-{self.seq}"


def newest(job: Job) -> str | None:
    """Where the stream goes on for a reader who has seen the whole history; `None` while there is none."""
    return str(Position(job.last_seq_attempt, job.last_seq)) if job.last_seq >= 0 else None


def join_positions(positions: Sequence[Position | None]) -> str:
    return _SEPARATOR.join("" if position is None else str(position) for position in positions)


After = Annotated[
    str | None,
    Query(max_length=10_000, description="Where the reader stands: a message's id, or `stream`."),
]


def get_position(after: After = None, last_event_id: Annotated[str | None, Header()] = None) -> Position | None:
    """Where the reader left off. A reconnecting browser's header is newer than the address it first opened."""
    given = last_event_id or after
    return _parse(given) if given else None


PositionDep = Annotated[Position | None, Depends(get_position)]


def get_positions(
    after: After = None, last_event_id: Annotated[str | None, Header()] = None
) -> list[Position | None] | None:
    """The same for a stream of many."""
    given = last_event_id or after
    return [_parse(each) if each else None for each in given.split(_SEPARATOR)] if given else None


def _parse(given: str) -> Position:
    match = _PATTERN.fullmatch(given)
    if match is None:
        raise Invalid(
            f"'{given}' is no position of this stream.",
            "Pass the id of the last message, or the `stream` of the run, study or evaluation, exactly as it came.",
        )
    return Position(attempt=int(match[1]), seq=int(match[2]))
