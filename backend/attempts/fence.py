"""Who may write. A worker that lost its run, and does not know it yet, can change nothing."""

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.attempts import repository
from phylon.backend.kit import clock
from phylon.backend.kit.errors import StaleAttempt
from phylon.backend.models import Attempt, Run
from phylon.backend.runs import repository as runs
from phylon.backend.runs.status import HELD, RunStatus

_OUTCOMES = (RunStatus.FINISHED, RunStatus.STOPPED, RunStatus.FAILED)


class Held(NamedTuple):
    run: Run
    attempt: Attempt


def enter(session: Session, run_id: int, number: int) -> Held:
    """The run, locked, and its attempt, when `number` is the attempt that owns it. Else `StaleAttempt`.

    An attempt that told the run's outcome may still hand in its last log lines and artifacts.
    """
    run = runs.lock(session, run_id)
    if number != run.attempt:
        raise StaleAttempt(run_id, number, f"attempt {run.attempt} is the newest")
    attempt = repository.get(session, run_id, number)
    if attempt.end is not None and attempt.end not in _OUTCOMES:
        raise StaleAttempt(run_id, number, f"it ended as {attempt.end}")
    return Held(run, attempt)


def renew(run: Run, lease_seconds: float) -> None:
    if run.status in HELD:
        run.lease_expires_at = clock.now() + timedelta(seconds=lease_seconds)
