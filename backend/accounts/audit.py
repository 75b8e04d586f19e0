"""The record of who did what. It is written in the transaction that did it, and never changed."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit import clock, pages
from phylon.backend.models import AuditRecord
from phylon.contract.accounts import AuditFilter
from phylon.contract.accounts import AuditRecord as AuditRecordRead
from phylon.contract.base import Page

_BATCH = 1000


def record(
    session: Session, viewer: Viewer, action: str, target: str, *, project_id: int | None = None, **detail: Any
) -> None:
    """`action` is a noun and a verb, `experiment.stop`; `target` a noun and a number, `experiment 3`. No secrets."""
    _add(session, viewer.user_id, viewer.name, viewer.address, action, target, project_id, detail)


def record_stranger(session: Session, name: str, address: str | None, action: str, target: str, **detail: Any) -> None:
    """Nobody is signed in; `name` is what they call themselves."""
    _add(session, None, name, address, action, target, None, detail)


def list_page(session: Session, wanted: AuditFilter, limit: int, after: str | None) -> Page[AuditRecordRead]:
    """The newest first."""
    total = session.scalar(select(func.count()).select_from(AuditRecord).where(*_conditions(wanted))) or 0
    rows = _before(session, wanted, pages.decode(after), limit + 1)
    return Page(
        items=[AuditRecordRead.model_validate(row, from_attributes=True) for row in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda row: row.id),
    )


def lines(session: Session, wanted: AuditFilter) -> Iterator[str]:
    """NDJSON, the newest first."""
    rows = _before(session, wanted, None, _BATCH)
    while rows:
        for row in rows:
            yield AuditRecordRead.model_validate(row, from_attributes=True).model_dump_json() + "\n"
        last = rows[-1].id
        session.expunge_all()  # else the session would remember every page
        rows = _before(session, wanted, last, _BATCH)


def _before(session: Session, wanted: AuditFilter, id: int | None, limit: int) -> list[AuditRecord]:
    statement = select(AuditRecord).where(*_conditions(wanted)).order_by(AuditRecord.id.desc()).limit(limit)
    return list(session.scalars(statement if id is None else statement.where(AuditRecord.id < id)))


def _conditions(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.actor:
        conditions.append(AuditRecord.actor.icontains(wanted.actor, autoescape=True))
    if wanted.action:
        within = AuditRecord.action.startswith(f"{wanted.action}.", autoescape=True)
        conditions.append(or_(AuditRecord.action == wanted.action, within))
    if wanted.target:
        conditions.append(AuditRecord.target == wanted.target)
    if wanted.project is not None:
        conditions.append(AuditRecord.project_id == wanted.project)
    if wanted.since is not None:
        conditions.append(AuditRecord.at >= wanted.since)
    if wanted.until is not None:
        conditions.append(AuditRecord.at < wanted.until)
    return conditions


def _add(
    session: Session,
    actor_id: int | None,
    actor: str,
    address: str | None,
    action: str,
    target: str,
    project_id: int | None,
    detail: dict[str, Any],
) -> None:
    session.add(
        AuditRecord(
            at=clock.now(),
            actor_id=actor_id,
            actor=actor,
            address=address,
            action=action,
            target=target,
            project_id=project_id,
            detail=detail,
        )
    )
