"""How events become rows, for payloads whose history is never cut back: it is folded into the row, event by event."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.jobs.kind import JobKind, PayloadMessage
from phylon.backend.models import Event, Job, Payload
from phylon.backend.payloads import repository
from phylon.backend.payloads.service import Noun
from phylon.contract.base import ReadModel
from phylon.contract.events import Event as ReportedEvent
from phylon.contract.protocol import JobEvent

PayloadType = TypeVar("PayloadType", bound=Payload)


def folded(
    noun: Noun[PayloadType, Any, Any],
    event_types: tuple[type[ReportedEvent], ...],
    event: TypeAdapter[Any],
    *,
    progress: frozenset[str],
    history: tuple[str, ...],
    payload: Callable[[Session, PayloadType], PayloadMessage],
    fold: Callable[[Session, PayloadType, JobEvent], None],
    forget: Callable[[Session, PayloadType], None],
) -> JobKind:
    """`history`: kinds of the events that a row is made of. `forget` brings it to where it was before the first."""
    model = noun.model

    def make_payload(session: Session, job: Job) -> PayloadMessage:
        return payload(session, repository.of_job(session, model, job.id))

    def apply(session: Session, context: Context, job: Job, fresh: Sequence[JobEvent]) -> None:
        row = repository.of_job(session, model, job.id)
        for each in fresh:  # an outcome among them has changed the job already
            fold(session, row, each)

    def rewind(session: Session, context: Context, job: Job, from_seq: int) -> None:
        forget(session, repository.of_job(session, model, job.id))
        rows = reversed(events.of_kinds(session, job.id, *history))
        apply(session, context, job, [event.validate_json(row.payload or "") for row in rows])

    def restore(session: Session, job: Job, stored: Sequence[Event]) -> dict[int, str]:
        return {}

    def read(session: Session, job: Job) -> ReadModel:
        return noun.summarise(session, None, [repository.of_job(session, model, job.id)])[0]

    return JobKind(event_types, progress, make_payload, apply, rewind, restore, read)
