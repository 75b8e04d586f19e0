"""The life of a run, and of a runtime study. Nothing else may change their `status`.

    queued ──▶ dispatched ──▶ running ──▶ finished
      ▲            │            │  │
      ├────────────┘            │  ├────▶ failed
      └─────── lost, crashed ───┘  └────▶ stopping ──▶ stopped (or finished, failed)

A run that no worker holds yet stops at once.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from phylon.backend.models import Run, Study
from phylon.contract.vocabulary import ACTIVE, HELD
from phylon.contract.vocabulary import JobStatus as RunStatus

_MOVES: dict[RunStatus, frozenset[RunStatus]] = {
    RunStatus.QUEUED: frozenset({RunStatus.DISPATCHED, RunStatus.RUNNING, RunStatus.STOPPED}),
    RunStatus.DISPATCHED: frozenset({RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.STOPPED}),
    RunStatus.RUNNING: frozenset(
        {RunStatus.QUEUED, RunStatus.STOPPING, RunStatus.FINISHED, RunStatus.STOPPED, RunStatus.FAILED}
    ),
    RunStatus.STOPPING: frozenset({RunStatus.FINISHED, RunStatus.STOPPED, RunStatus.FAILED}),
    RunStatus.FINISHED: frozenset(),
    RunStatus.STOPPED: frozenset(),
    RunStatus.FAILED: frozenset(),
}


class IllegalMove(RuntimeError):
    """A programming error: some rule let a run or a study go where it cannot."""

    def __init__(self, job: Run | Study, here: RunStatus, there: RunStatus) -> None:
        legal = ", ".join(sorted(_MOVES[here])) or "nowhere: it has ended"
        super().__init__(
            f"{type(job).__name__} {job.id} is {here} and cannot become {there}; from here it can go to {legal}."
        )


def move(job: Run | Study, to: RunStatus, at: datetime) -> None:
    """Change the status of a run or study whose row this transaction has locked."""
    here = RunStatus(job.status)
    if to not in _MOVES[here]:
        raise IllegalMove(job, here, to)
    for column, value in _entering(to, at).items():
        setattr(job, column, value)


def move_if_waiting(session: Session, run_id: int, to: RunStatus, at: datetime, **values: Any) -> bool:
    """Compare and set: of several that want the run, one wins. `values` are written along with the status."""
    changed = session.execute(
        update(Run)
        .where(Run.id == run_id, Run.status.in_([here for here, there in _MOVES.items() if to in there]))
        .values(_entering(to, at) | values)
        .returning(Run.id),
        execution_options={"synchronize_session": False},
    )
    return changed.scalar_one_or_none() is not None


def _entering(to: RunStatus, at: datetime) -> dict[str, Any]:
    """The columns that change with the status, so that no caller can forget one."""
    values: dict[str, Any] = {"status": to.value}
    if to not in HELD:
        values |= {"lease_expires_at": None}
    if to != RunStatus.DISPATCHED:
        values |= {"dispatched_at": None, "dispatched_to": None}
    if to not in ACTIVE:
        values |= {"finished_at": at}
    return values
