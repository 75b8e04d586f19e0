"""Queries about attempts."""

from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Attempt, Run, Worker


def start(session: Session, run: Run, worker: Worker) -> Attempt:
    attempt = Attempt(run_id=run.id, number=run.attempt, worker_id=worker.id, claimed_at=clock.now())
    session.add(attempt)
    session.flush()
    return attempt


def get(session: Session, run_id: int, number: int) -> Attempt:
    attempt = session.get(Attempt, (run_id, number))
    if attempt is None:
        raise NotFound(f"attempt of run {run_id}:", number)
    return attempt
