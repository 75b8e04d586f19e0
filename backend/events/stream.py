"""Follows the history of one job or of many, for as long as somebody listens.

The database is asked for what comes after the reader's position; the doorbell only says when to ask. Between two
questions no connection is held. A reader that was away resumes at its position and misses nothing; when history was cut
back below it, it gets a `rewind` first.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple

import anyio.to_thread
from fastapi.sse import ServerSentEvent
from sqlalchemy.orm import Session

from phylon.backend.accounts.authentication import renew
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.events import repository
from phylon.backend.events.position import Position, join_positions
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.kinds import kind_of
from phylon.contract.protocol import JobKindName
from phylon.contract.stream import Rewind
from phylon.contract.vocabulary import ACTIVE

_POLL_SECONDS = 2.0
_BATCH = 200


class Subject(NamedTuple):
    """What a reader follows."""

    kind: JobKindName
    id: int
    job_id: int | None
    """None where there is no such thing, or none that the reader may see."""


class Said(NamedTuple):
    """One message."""

    kind: str
    position: Position | None
    """Where its reader stands then; None where it stands as before."""
    json: str


GONE = Said("gone", None, "null")


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


async def follow(
    context: Context, viewer: Viewer, job_id: int, position: Position | None
) -> AsyncIterator[ServerSentEvent]:
    """Ends when the job has ended and all of its history was sent, or when the viewer may see it no more."""
    async for _, said in _listen(context, viewer, {job_id: position}):
        if said is not None:
            id = str(said.position) if said.position else None
            yield ServerSentEvent(event=said.kind, id=id, raw_data=said.json)


async def follow_all(
    context: Context, viewer: Viewer, subjects: Sequence[Subject], positions: Sequence[Position | None]
) -> AsyncIterator[ServerSentEvent]:
    """One stream for many. Each message says whose it is, and its id where the reader then stands in all of them."""
    stands = list(positions)
    places = {subject.job_id: place for place, subject in enumerate(subjects) if subject.job_id is not None}
    for subject in subjects:
        if subject.job_id is None:
            yield _message(subject, GONE, stands)
    async for job_id, said in _listen(context, viewer, {job_id: stands[place] for job_id, place in places.items()}):
        said = said or GONE
        stands[places[job_id]] = said.position or stands[places[job_id]]
        yield _message(subjects[places[job_id]], said, stands)


def _message(subject: Subject, said: Said, stands: Sequence[Position | None]) -> ServerSentEvent:
    position = f'"{said.position}"' if said.position else "null"
    return ServerSentEvent(
        event=said.kind,
        id=join_positions(stands),
        raw_data=f'{{"kind":"{subject.kind}","id":{subject.id},"position":{position},"message":{said.json}}}',
    )


async def _listen(
    context: Context, viewer: Viewer, positions: Mapping[int, Position | None]
) -> AsyncIterator[tuple[int, Said | None]]:
    """What each of these jobs has to say, from its position on; None for one that is gone."""
    stands, statuses = dict(positions), dict.fromkeys(positions, "")
    with context.doorbell.watch(f"job {job_id}" for job_id in stands) as bell:
        due = set(stands)
        while stands:
            looked = {job_id: stands[job_id] for job_id in sorted(due)}
            updates = await anyio.to_thread.run_sync(_look_at, context, viewer, looked)
            for job_id, update in updates.items():
                if update is None:  # deleted while somebody watched, or no longer theirs to see
                    yield job_id, None
                    del stands[job_id]
                    due.discard(job_id)
                    continue
                if update.rewind is not None:
                    stands[job_id] = Position(update.rewind.attempt, update.rewind.seq - 1)
                    yield job_id, Said("rewind", None, update.rewind.model_dump_json())
                for event in update.events:
                    stands[job_id] = event.position
                    yield job_id, Said(event.kind, event.position, event.json)
                if update.status != statuses[job_id]:
                    statuses[job_id] = update.status
                    yield job_id, Said("status", None, update.status)
                if update.is_complete:
                    due.discard(job_id)
                    if not update.is_active:
                        del stands[job_id]
            if not due and stands:
                rung = await bell.wait(_POLL_SECONDS)
                due = {job_id for job_id in stands if f"job {job_id}" in rung} if rung else set(stands)


def _look_at(
    context: Context, viewer: Viewer, positions: Mapping[int, Position | None]
) -> dict[int, StreamUpdate | None]:
    """What there is after these positions, in one snapshot."""
    with context.database.read() as session:
        current = renew(session, viewer)
        return {
            job_id: None if current is None else _look(session, current, job_id, position)
            for job_id, position in positions.items()
        }


def _look(session: Session, viewer: Viewer, job_id: int, position: Position | None) -> StreamUpdate | None:
    job = jobs.find_visible(session, viewer, job_id)
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
