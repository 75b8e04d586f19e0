"""Follows the history of a run, for as long as somebody listens.

The database is asked for what comes after the reader's position; the doorbell only says when to ask. Between two
questions no connection is held. A reader that was away resumes at its position and misses nothing; when history was cut
back below it, it is told so first.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import NamedTuple

import anyio.to_thread
from fastapi.sse import ServerSentEvent
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import repository
from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Event
from phylon.backend.runs import repository as runs
from phylon.backend.runs import service as runs_service
from phylon.backend.runs.status import ACTIVE
from phylon.contract.events import Metrics
from phylon.contract.runs import Run as RunRead
from phylon.contract.stream import Rewind

_POLL_SECONDS = 2.0
_BATCH = 200


class Position(NamedTuple):
    """The last message that a reader has seen."""

    attempt: int
    seq: int


class Told(NamedTuple):
    """A stored event, ready to be sent."""

    position: Position
    kind: str
    json: str


class News(NamedTuple):
    run: RunRead
    rewind: Rewind | None
    events: list[Told]
    complete: bool
    """Nothing more is stored."""


async def follow(context: Context, run_id: int, position: Position | None) -> AsyncIterator[ServerSentEvent]:
    """Ends when the run has ended and all of its history was sent."""
    status = ""
    with context.doorbell.watch(f"run {run_id}") as rung:
        while True:
            rung.clear()
            news = await anyio.to_thread.run_sync(_look, context, run_id, position)
            if news is None:
                return  # deleted while somebody watched
            if news.rewind is not None:
                position = Position(news.rewind.attempt, news.rewind.seq - 1)
                yield ServerSentEvent(event="rewind", raw_data=news.rewind.model_dump_json())
            for told in news.events:
                position = told.position
                yield ServerSentEvent(event=told.kind, id=f"{position.attempt}-{position.seq}", raw_data=told.json)
            current = news.run.model_dump_json()
            if current != status:
                status = current
                yield ServerSentEvent(event="status", raw_data=status)
            if not news.complete:
                continue
            if news.run.status not in ACTIVE:
                return
            await wait(rung)


async def wait(rung: asyncio.Event) -> None:
    """Until somebody rings, but not for long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_POLL_SECONDS):
            await rung.wait()


def _look(context: Context, run_id: int, position: Position | None) -> News | None:
    """What there is after `position`, in one snapshot."""
    with context.database.read() as session:
        run = runs.find(session, run_id)
        if run is None:
            return None
        rewind = _rewind(session, run_id, position)
        seq = rewind.seq - 1 if rewind else position.seq if position else -1
        events = repository.after(session, run_id, seq, _BATCH)
        return News(runs_service.read(run), rewind, _tell(session, events), complete=len(events) < _BATCH)


def _rewind(session: Session, run_id: int, position: Position | None) -> Rewind | None:
    if position is None:
        return None
    cuts = [
        (attempt.rewound_to, attempt.number)
        for attempt in repository.rewinds_since(session, run_id, position.attempt)
        if attempt.rewound_to is not None and attempt.rewound_to <= position.seq
    ]
    return Rewind(seq=min(cuts)[0], attempt=cuts[-1][1]) if cuts else None


def _tell(session: Session, events: list[Event]) -> list[Told]:
    """The events as their trainer told them; those of metrics are put together from their frames."""
    seqs = [event.seq for event in events if event.payload is None]
    frames: dict[int, dict[str, list[float]]] = {seq: {} for seq in seqs}
    for frame in metrics.of_events(session, events[0].run_id, seqs) if seqs else ():
        frames[frame.seq][frame.name] = unpack(frame.data).tolist()
    return [
        Told(
            Position(event.attempt, event.seq),
            event.kind,
            event.payload if event.payload is not None else _metrics(event, frames[event.seq]),
        )
        for event in events
    ]


def _metrics(event: Event, frames: dict[str, list[float]]) -> str:
    return Metrics(seq=event.seq, step=event.step, wall=event.wall, kind="metrics", frames=frames).model_dump_json()
