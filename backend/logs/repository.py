"""Queries about log lines."""

from collections.abc import Sequence

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, LogLine
from phylon.contract import protocol


def add(session: Session, attempt: Attempt, lines: Sequence[protocol.LogLine]) -> None:
    rows = [
        {
            "job_id": attempt.job_id,
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


def page(session: Session, job_id: int, attempt: int | None, after: int, limit: int) -> list[LogLine]:
    statement = select(LogLine).where(LogLine.job_id == job_id, LogLine.id > after)
    if attempt is not None:
        statement = statement.where(LogLine.attempt == attempt)
    return list(session.scalars(statement.order_by(LogLine.id).limit(limit)))
