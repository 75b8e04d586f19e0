"""What must hold of a job's moves, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phylon.backend.jobs.status import ACTIVE, HELD, MOVES, IllegalMove, JobStatus, create, move
from phylon.backend.kit import clock
from phylon.backend.models import Job


def reachable(start):
    found, waiting = {start}, [start]
    while waiting:
        fresh = MOVES[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def test_every_job_can_end_and_nothing_leads_out_of_an_end():
    ends = set(JobStatus) - ACTIVE
    assert ends == {here for here, there in MOVES.items() if not there}
    assert all(reachable(status) & ends for status in ACTIVE)
    assert all(JobStatus.STOPPED in reachable(status) for status in ACTIVE), "whatever is active can be stopped"
    assert reachable(JobStatus.QUEUED) == set(JobStatus)


def test_only_a_job_that_a_worker_holds_can_have_an_outcome():
    for status in ACTIVE - HELD:
        assert not MOVES[status] & {JobStatus.FINISHED, JobStatus.FAILED}
    assert HELD < ACTIVE


def test_a_job_that_is_to_stop_never_goes_back_to_the_queue():
    assert not reachable(JobStatus.STOPPING) & {JobStatus.QUEUED, JobStatus.DISPATCHED, JobStatus.RUNNING}


@given(st.lists(st.sampled_from(JobStatus), max_size=12))
def test_after_any_moves_the_columns_agree_with_the_status(wanted):
    job = create("run", 5, clock.now())
    for there in wanted:
        here = JobStatus(job.status)
        if there in MOVES[here]:
            move(job, there, clock.now())
            if there == JobStatus.DISPATCHED:
                job.dispatched_at, job.dispatched_to = clock.now(), "cpu"
            if there == JobStatus.RUNNING:
                job.lease_expires_at = clock.now()
        else:
            with pytest.raises(IllegalMove, match=f"is {here} and cannot become {there}"):
                move(job, there, clock.now())
            assert job.status == here
        assert (job.finished_at is not None) == (job.status not in ACTIVE)
        assert job.lease_expires_at is None or job.status in HELD
        assert (job.dispatched_at is not None) == (job.status == JobStatus.DISPATCHED)


def test_what_was_done_elsewhere_begins_at_its_end():
    job: Job = create("study", 5, clock.now(), ended=JobStatus.FINISHED)
    assert job.status == JobStatus.FINISHED
    assert job.finished_at is not None
