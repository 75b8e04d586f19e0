"""Log lines: taken once each and in order, and read page by page."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.kit import pages
from phylon.backend.logs import repository
from phylon.backend.models import Attempt
from phylon.backend.runs import repository as runs
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine
from phylon.contract.protocol import LogLine


def ingest(session: Session, attempt: Attempt, lines: Sequence[LogLine]) -> None:
    """Stores what continues the attempt's log; what is there already is skipped, what follows a gap is left out."""
    fresh: list[LogLine] = []
    for line in sorted(lines, key=lambda line: line.line):
        if line.line == attempt.next_log_line:
            fresh.append(line)
            attempt.next_log_line += 1
    repository.add(session, attempt, fresh)


def read(session: Session, run_id: int, *, attempt: int | None, after: str | None, limit: int) -> Page[LoggedLine]:
    runs.get(session, run_id)
    last = pages.decode(after) or 0
    lines, total = repository.page(session, run_id, attempt, last, limit)
    return Page(
        items=[LoggedLine.model_validate(line, from_attributes=True) for line in lines],
        total=total,
        next=pages.encode(lines[-1].id if lines else last),
    )
