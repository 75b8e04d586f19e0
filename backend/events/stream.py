"""Follows the history of a job, for as long as somebody listens.

The database is asked for what comes after the reader's position; the doorbell only says when to ask. Between two
questions no connection is held. A reader that was away resumes at its position and misses nothing; when history was cut
back below it, it gets a `rewind` first.
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
from phylon.backend.events.position import Position
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.kinds import kind_of
from phylon.contract.stream import Rewind
from phylon.contract.vocabulary import ACTIVE

_POLL_SECONDS = 2.0
_BATCH = 200


class StoredEvent(NamedTuple):
    """Ready to be sent."""

    position: Position
    kind: str
    json: str


class StreamUpdate(NamedTuple):
    status: str
    """The read model of the job's payload, as JSON."""
    rewind: Rewind | None
    events: list[StoredEvent]
    is_complete: bool
    """Nothing more is stored."""
    is_active: bool


async def follow(context: Context, job_id: int, position: Position | None) -> AsyncIterator[ServerSentEvent]:
    """Ends when the job has ended and all of its history was sent."""
    status = ""
    with context.doorbell.watch(f"job {job_id}") as rung:
        while True:
            rung.clear()
            update = await anyio.to_thread.run_sync(_look, context, job_id, position)
            if update is None:
                return  # deleted while somebody watched
            if update.rewind is not None:
                position = Position(update.rewind.attempt, update.rewind.seq - 1)
                yield ServerSentEvent(event="rewind", raw_data=update.rewind.model_dump_json())
            for event in update.events:
                position = event.position
                yield ServerSentEvent(event=event.kind, id=str(position), raw_data=event.json)
            if update.status != status:
                status = update.status
                yield ServerSentEvent(event="status", raw_data=status)
            if not update.is_complete:
                continue
            if not update.is_active:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await rung.wait()


def _look(context: Context, job_id: int, position: Position | None) -> StreamUpdate | None:
    """What there is after `position`, in one snapshot."""
    with context.database.read() as session:
        job = jobs.find(session, job_id)
        if job is None:
            return None
        kind = kind_of(job)
        rewind = _rewind(session, job_id, position)
        seq = rewind.seq - 1 if rewind else position.seq if position else -1
        events = repository.after(session, job_id, seq, _BATCH)
        restored = kind.restore(session, job, [event for event in events if event.payload is None])
        return StreamUpdate(
            kind.read(session, job).model_dump_json(),
            rewind,
            [
                StoredEvent(Position(event.attempt, event.seq), event.kind, event.payload or restored[event.seq])
                for event in events
            ],
            is_complete=len(events) < _BATCH,
            is_active=job.status in ACTIVE,
        )


def _rewind(session: Session, job_id: int, position: Position | None) -> Rewind | None:
    if position is None:
        return None
    cuts = [
        (attempt.rewound_to, attempt.number)
        for attempt in jobs.rewinds_since(session, job_id, position.attempt)
        if attempt.rewound_to is not None and attempt.rewound_to <= position.seq
    ]
    return Rewind(seq=min(cuts)[0], attempt=cuts[-1][1]) if cuts else None
