"""Rules that hold for whatever a job is for."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Owner, Viewer
from phylon.backend.context import Context
from phylon.backend.events import position
from phylon.backend.jobs import actions, status
from phylon.backend.jobs.actions import Action
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Job, Payload
from phylon.backend.payloads import repository
from phylon.backend.queue.admission import refuse_impossible
from phylon.backend.queue.ask import Ask
from phylon.backend.sweeping import marking
from phylon.contract.base import Page
from phylon.contract.experiments import Submission
from phylon.contract.payloads import PayloadSummary
from phylon.contract.protocol import JobKindName
from phylon.contract.vocabulary import ACTIVE, JobStatus

PayloadType = TypeVar("PayloadType", bound=Payload)
Summary = TypeVar("Summary", bound=PayloadSummary)
Stored = TypeVar("Stored", bound=PayloadSummary)


class Noun(NamedTuple, Generic[PayloadType, Summary, Stored]):
    """One of the things that the API is about."""

    model: type[PayloadType]
    summary: type[Summary]
    stored: type[Stored]
    summarise: Callable[[Session, Viewer | None, Sequence[PayloadType]], list[Summary]]
    """For nobody in particular where there is no viewer."""
    read: Callable[[Session, Viewer, PayloadType], Stored]
    """With all that is known of it."""


class NotEnded(Conflict):
    """What has not ended cannot be deleted."""

    def __init__(self, payload: Payload) -> None:
        super().__init__(f"{str(payload).capitalize()} has not ended.", "Stop it first.")


def queue(session: Session, context: Context, kind: JobKindName, owner: Owner, ask: Ask, body: Submission) -> Job:
    """A job that waits for a worker; refused where none that is known could ever execute it."""
    if not body.wait_for_worker:
        refuse_impossible(session, [ask])
    return status.create(kind, owner, context.settings.max_attempts, clock.now(), ask, body.priority)


def store(session: Session, viewer: Viewer, payload: Payload, how: str = "create") -> None:
    session.add(payload)
    session.flush()
    _record(session, viewer, how, payload)
    session.flush()


def list_page(
    session: Session,
    viewer: Viewer,
    noun: Noun[PayloadType, Summary, Stored],
    conditions: Iterable[ColumnElement[bool]],
    limit: int,
    after: str | None,
) -> Page[Summary]:
    rows, total = repository.page(session, viewer, noun.model, conditions, limit + 1, pages.decode(after))
    return Page(
        items=noun.summarise(session, viewer, rows[:limit]),
        total=total,
        next=pages.next_cursor(rows, limit, lambda row: row.id),
    )


def act(
    session: Session,
    context: Context,
    viewer: Viewer,
    noun: Noun[PayloadType, Summary, Stored],
    id: int,
    action: Action,
) -> Stored:
    payload = repository.lock(session, viewer, noun.model, id)
    actions.act(session, context, viewer, action, [payload.job], payload.kind, id)
    return noun.read(session, viewer, payload)


def delete(session: Session, viewer: Viewer, model: type[Payload], id: int) -> None:
    """It is gone for everyone from now on; the sweeper removes rows and files."""
    payload = repository.lock(session, viewer, model, id)
    require_change(viewer, payload.job, str(payload))
    if payload.job.status in ACTIVE:
        raise NotEnded(payload)
    _record(session, viewer, "delete", payload)
    marking.delete(payload, payload.job)


def fields(payload: Payload) -> dict[str, Any]:
    """Those of `PayloadSummary`."""
    job = payload.job
    return {
        "id": payload.id,
        "name": payload.name,
        "status": job.status,
        "is_pausing": job.yield_to == JobStatus.PAUSED,
        "owner": owner_name(job),
        "project": project_name(job),
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "worker_name": job.worker_name,
        "error": job.error["message"] if job.error else None,
        "remedy": job.error["remedy"] if job.error else None,
        "stream": position.newest(job),
    }


def _record(session: Session, viewer: Viewer, how: str, payload: Payload) -> None:
    action = f"{payload.kind}.{how}"
    audit.record(session, viewer, action, str(payload), project_id=payload.job.project_id, name=payload.name)
