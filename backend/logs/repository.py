"""Queries about log lines."""

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, LogLine
from phylon.contract import protocol


def add(session: Session, attempt: Attempt, lines: Sequence[protocol.LogLine], rank: int) -> None:
    rows = [
        {
            "job_id": attempt.job_id,
            "attempt": attempt.number,
            "rank": rank,
            "line": line.line,
            "wall": line.wall,
            "stream": line.stream,
            "text": without_nul(line.text),
            "created_at": clock.now(),
        }
        for line in lines
    ]
    if rows:
        session.execute(insert(LogLine), rows)


def leave_out(session: Session, attempt: Attempt, start: int, end: int, note: str) -> None:
    """The lines from `start` to before `end` go; the first of them becomes a note."""
    of_attempt = (LogLine.job_id == attempt.job_id, LogLine.attempt == attempt.number)
    session.execute(delete(LogLine).where(*of_attempt, LogLine.line > start, LogLine.line < end))
    session.execute(update(LogLine).where(*of_attempt, LogLine.line == start).values(stream="supervisor", text=note))


def page(
    session: Session, job_id: int, attempt: int | None, rank: int | None, after: int, limit: int
) -> tuple[list[LogLine], int]:
    """Those with an id above `after`, and how many there are in all."""
    statement = select(LogLine).where(LogLine.job_id == job_id)
    if attempt is not None:
        statement = statement.where(LogLine.attempt == attempt)
    if rank is not None:
        statement = statement.where(LogLine.rank == rank)
    total = session.scalar(select(func.count()).select_from(statement.subquery())) or 0
    return list(session.scalars(statement.where(LogLine.id > after).order_by(LogLine.id).limit(limit))), total
