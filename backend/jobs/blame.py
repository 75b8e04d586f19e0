"""Whose fault it is when attempts crash. The rule in one place; `ending` acts on it.

A worker shows a *good sign* when a job ends there with an outcome, whichever, or makes progress there. Its *open
crashes* are those of the last ten minutes since its last good sign. A crash is *explained* by the job in two cases: it
had made progress on this very worker, which hence can execute it; or it, or another job that was submitted with it (a
replicate of the same experiment), crashed on a second worker too and none of them showed a good sign anywhere.

1. A worker with unexplained open crashes of three different jobs is at fault. It is quarantined, and those crashes are
   not held against the jobs.
2. A job that crashed on two different workers since it last made progress is at fault. It fails. Crashes on a worker
   that is quarantined, or that has an unexplained open crash of another job, prove nothing about the job.
3. Else nobody is convicted: the crash costs the job one attempt, and it waits before the next.

A worker that was lost says nothing about anyone: machines are switched off, networks fail. It costs an attempt.
"""

from collections.abc import Sequence, Set
from datetime import datetime, timedelta
from typing import NamedTuple

from phylon.contract.protocol import OUTCOMES

WINDOW = timedelta(minutes=10)
JOBS_THAT_CONVICT_A_WORKER = 3
WORKERS_THAT_CONVICT_A_JOB = 2
CRASHED = "crashed"


class Past(NamedTuple):
    """An attempt, as far as blame goes."""

    job_id: int
    origin: str
    """The same for all that was submitted together."""
    worker_id: int
    end: str | None
    ended_at: datetime | None
    progress_at: datetime | None

    @property
    def good_sign_at(self) -> datetime | None:
        return self.ended_at if self.end in OUTCOMES else self.progress_at


class Verdict(NamedTuple):
    jobs_the_worker_broke: Sequence[int] = ()
    """In order; not empty when the worker is at fault."""
    workers_the_job_broke_on: Sequence[int] = ()
    """In order; not empty when the job is at fault."""


def judge(crash: Past, own: Sequence[Past], recent: Sequence[Past], quarantined: Set[int]) -> Verdict:
    """Of a crash that has just happened.

    `own` are the attempts of its job that are not forgiven, `recent` those of all jobs on all workers that ended, or
    made progress, within the window; both contain the crash. `quarantined` are workers.
    """
    broken = _jobs_of(_unexplained(crash.worker_id, recent))
    if len(broken) >= JOBS_THAT_CONVICT_A_WORKER:
        return Verdict(jobs_the_worker_broke=broken)
    workers = sorted(
        {
            attempt.worker_id
            for attempt in own
            if attempt.end == CRASHED
            and attempt.worker_id not in quarantined
            and not set(_jobs_of(_unexplained(attempt.worker_id, recent))) - {crash.job_id}
        }
    )
    return Verdict(workers_the_job_broke_on=workers if len(workers) >= WORKERS_THAT_CONVICT_A_JOB else ())


def _unexplained(worker_id: int, recent: Sequence[Past]) -> list[Past]:
    """Open crashes of the worker that its jobs do not explain."""
    here = [attempt for attempt in recent if attempt.worker_id == worker_id]
    good_signs = [attempt.good_sign_at for attempt in here if attempt.good_sign_at is not None]
    last = max(good_signs, default=None)
    return [
        attempt
        for attempt in here
        if attempt.end == CRASHED
        and (last is None or (attempt.ended_at is not None and attempt.ended_at > last))
        and not _is_explained(attempt, recent)
    ]


def _is_explained(crash: Past, recent: Sequence[Past]) -> bool:
    if any(
        attempt.job_id == crash.job_id and attempt.worker_id == crash.worker_id and attempt.progress_at is not None
        for attempt in recent
    ):
        return True
    kin = [attempt for attempt in recent if attempt.origin == crash.origin]
    elsewhere = any(attempt.end == CRASHED and attempt.worker_id != crash.worker_id for attempt in kin)
    return elsewhere and all(attempt.good_sign_at is None for attempt in kin)


def _jobs_of(attempts: Sequence[Past]) -> list[int]:
    return sorted({attempt.job_id for attempt in attempts})
