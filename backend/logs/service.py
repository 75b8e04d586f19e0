"""Log lines: taken once each and in order, and read page by page."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.kit import pages
from phylon.backend.logs import repository
from phylon.backend.models import Attempt, Rank
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine
from phylon.contract.protocol import LogLine

FIRST_LINES, LAST_LINES = 2_000, 18_000
"""Of an attempt that are kept: how it began, and how it ended."""


def ingest(session: Session, attempt: Attempt, lines: Sequence[LogLine], rank: Rank | None = None) -> None:
    """Stores what continues the attempt's log; what is there already is skipped, what follows a gap is left out.

    Of a long log the middle goes, and a line in its place says how much that was. The lines of a gang's `rank` count
    for themselves, and lie among those of the others as they came.
    """
    fresh: list[LogLine] = []
    expected = (rank or attempt).next_log_line
    for line in sorted(lines, key=lambda line: line.line):
        if line.line == expected + len(fresh):
            fresh.append(line)
    first = attempt.next_log_line
    if rank is not None:
        fresh = [line.model_copy(update={"line": first + place}) for place, line in enumerate(fresh)]
        rank.next_log_line += len(fresh)
    attempt.next_log_line += len(fresh)
    repository.add(session, attempt, fresh, rank.rank if rank else 0)
    left_out = attempt.next_log_line - FIRST_LINES - LAST_LINES
    if fresh and left_out > 0:
        note = f"{left_out:,} lines are left out here: of a long log, beginning and end are kept"
        repository.leave_out(session, attempt, FIRST_LINES, FIRST_LINES + left_out, note)


def read(
    session: Session, job_id: int, *, attempt: int | None, after: str | None, limit: int, rank: int | None = None
) -> Page[LoggedLine]:
    last = pages.decode(after) or 0
    lines, total = repository.page(session, job_id, attempt, rank, last, limit)
    return Page(
        items=[LoggedLine.model_validate(line, from_attributes=True) for line in lines],
        total=total,
        next=pages.encode(lines[-1].id if lines else last),
    )
