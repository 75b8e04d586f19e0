"""A run's lineage in pages. Each page begins after the last row of the one before, which an index finds at once."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.models import Span


def spans(session: Session, run_id: int, size: int) -> Iterator[Sequence[Span]]:
    statement = select(Span).where(Span.run_id == run_id).order_by(Span.id).limit(size)
    page = list(session.scalars(statement))
    while page:
        yield page
        last = page[-1].id
        session.expunge_all()  # else the session would remember every page
        page = list(session.scalars(statement.where(Span.id > last)))
