"""Queries about log lines."""

from collections.abc import Sequence

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, LogLine
from phylon.contract import protocol


def add(session: Session, attempt: Attempt, lines: Sequence[protocol.LogLine]) -> None:
    rows = [
        {
            "run_id": attempt.run_id,
            "attempt": attempt.number,
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


def page(session: Session, run_id: int, attempt: int | None, after: int, limit: int) -> tuple[list[LogLine], int]:
    """Those with an id above `after`, and how many there are in all."""
    statement = select(LogLine).where(LogLine.run_id == run_id)
    if attempt is not None:
        statement = statement.where(LogLine.attempt == attempt)
    total = session.scalar(select(func.count()).select_from(statement.subquery())) or 0
    return list(session.scalars(statement.where(LogLine.id > after).order_by(LogLine.id).limit(limit))), total
