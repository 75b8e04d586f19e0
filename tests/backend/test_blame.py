"""Whose fault a crash is: each row is a history, written down by hand, and the verdict on its last crash."""

from datetime import UTC, datetime, timedelta

import pytest

from phylon.backend.jobs.blame import Past, Verdict, judge

NOBODY = Verdict()


def worker_is_at_fault(*jobs):
    return Verdict(jobs_the_worker_broke=list(jobs))


def job_is_at_fault(*workers):
    return Verdict(workers_the_job_broke_on=list(workers))


def past(history):
    """Each line: job, its experiment, worker, how the attempt ended, and `*` for one that made progress before."""
    attempts = []
    for minute, line in enumerate(history.strip().splitlines()):
        job, origin, worker, end, *progress = line.split()
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
        attempts.append(
            Past(
                job_id=int(job),
                origin=origin,
                worker_id=int(worker),
                end=None if end == "running" else end,
                ended_at=None if end == "running" else at,
                progress_at=at - timedelta(seconds=30) if progress else None,
            )
        )
    return attempts


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        pytest.param("1 a 1 crashed", NOBODY, id="once proves nothing"),
        pytest.param("1 a 1 crashed\n1 a 1 crashed\n1 a 1 crashed", NOBODY, id="nor does the same pair again"),
        pytest.param("1 a 1 crashed\n1 a 2 crashed", job_is_at_fault(1, 2), id="a job on two workers"),
        pytest.param("1 a 1 lost\n1 a 2 crashed", NOBODY, id="a lost worker says nothing"),
        pytest.param("1 a 1 worker_shutdown\n1 a 2 crashed", NOBODY, id="nor does one that left in order"),
        pytest.param(
            "1 a 1 crashed\n2 b 1 crashed\n3 c 1 crashed", worker_is_at_fault(1, 2, 3), id="three jobs on one worker"
        ),
        pytest.param(
            "1 a 1 crashed\n2 a 1 crashed\n3 a 1 crashed", worker_is_at_fault(1, 2, 3), id="three of one experiment"
        ),
        pytest.param("1 a 1 lost\n2 b 1 lost\n3 c 1 crashed", NOBODY, id="losses are no crashes"),
        pytest.param("1 a 1 crashed\n2 b 1 crashed\n4 d 1 finished\n3 c 1 crashed", NOBODY, id="a success in between"),
        pytest.param(
            "1 a 1 crashed\n2 b 1 crashed\n4 d 1 failed\n3 c 1 crashed",
            NOBODY,
            id="a job that reports its own failure shows that the worker works",
        ),
        pytest.param("1 a 1 crashed\n2 b 1 crashed\n4 d 1 running *\n3 c 1 crashed", NOBODY, id="progress in between"),
        pytest.param(
            "1 a 1 crashed *\n2 b 1 crashed *\n3 c 1 crashed *", NOBODY, id="crashes after progress blame the jobs"
        ),
        pytest.param(
            "1 a 1 crashed *\n2 a 1 crashed *\n1 a 1 crashed\n2 a 1 crashed\n3 a 1 crashed",
            NOBODY,
            id="also when they crash again from their checkpoints",
        ),
        pytest.param(
            "1 a 1 crashed\n2 a 2 crashed\n3 a 1 crashed\n4 a 2 crashed\n5 a 1 crashed",
            NOBODY,
            id="an experiment that crashes everywhere quarantines nobody",
        ),
        pytest.param(
            "1 a 1 crashed\n2 a 2 crashed\n4 a 3 finished\n3 a 1 crashed\n5 a 1 crashed",
            worker_is_at_fault(1, 3, 5),
            id="unless it succeeds somewhere",
        ),
        pytest.param(
            "1 a 1 crashed\n2 b 1 crashed\n1 a 2 crashed", NOBODY, id="a dubious worker proves nothing about a job"
        ),
        pytest.param(
            "1 a 1 crashed\n2 b 1 crashed\n1 a 2 crashed\n2 b 2 crashed",
            job_is_at_fault(1, 2),
            id="until its other crash is explained as well",
        ),
    ],
)
def test_verdicts(history, verdict):
    recent = past(history)
    crash = recent[-1]
    assert judge(crash, [attempt for attempt in recent if attempt.job_id == crash.job_id], recent, set()) == verdict


def test_a_crash_on_a_quarantined_worker_proves_nothing_about_the_job():
    recent = past("1 a 1 crashed\n1 a 2 crashed")
    assert judge(recent[-1], recent, recent, {1}) == NOBODY


def test_what_is_forgiven_does_not_count():
    recent = past("1 a 1 crashed\n1 a 2 crashed")
    assert judge(recent[-1], recent[1:], recent, set()) == NOBODY
