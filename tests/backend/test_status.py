"""What must hold of a job's moves, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phylon.backend.accounts.viewer import LOCAL_OWNER
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


ENDS = set(JobStatus) - ACTIVE


def test_every_job_can_end_and_goes_on_from_an_end_through_the_queue_alone():
    assert {JobStatus.FINISHED, JobStatus.STOPPED, JobStatus.FAILED} == ENDS
    assert all(MOVES[end] == {JobStatus.QUEUED} for end in ENDS)
    assert all(reachable(status) & ENDS for status in ACTIVE)
    assert all(JobStatus.STOPPED in reachable(status) for status in ACTIVE), "whatever is active can be stopped"
    assert reachable(JobStatus.QUEUED) == set(JobStatus)


def test_only_a_job_that_a_worker_holds_can_have_an_outcome():
    for status in ACTIVE - HELD:
        assert not MOVES[status] & {JobStatus.FINISHED, JobStatus.FAILED}
    assert HELD < ACTIVE


def test_a_job_that_is_to_stop_ends_before_anything_else():
    assert MOVES[JobStatus.STOPPING] == ENDS


def test_a_paused_job_waits_for_people_alone():
    assert MOVES[JobStatus.PAUSED] == {JobStatus.QUEUED, JobStatus.STOPPED}
    assert JobStatus.PAUSED not in HELD
    pausable = {here for here, there in MOVES.items() if JobStatus.PAUSED in there}
    assert pausable == ACTIVE - {JobStatus.PAUSED, JobStatus.STOPPING}


@given(st.lists(st.sampled_from(JobStatus), max_size=12))
def test_after_any_moves_the_columns_agree_with_the_status(wanted):
    job = create("run", LOCAL_OWNER, 5, clock.now())
    for there in wanted:
        here = JobStatus(job.status)
        if there in MOVES[here]:
            move(job, there, clock.now())
            if there == JobStatus.DISPATCHED:
                job.dispatched_at = clock.now()
            if there == JobStatus.RUNNING:
                job.lease_expires_at = clock.now()
                assert job.yield_to is None, "what was asked of an earlier attempt is void"
                job.yield_to = "paused"
            if there == JobStatus.FAILED:
                job.error = {"message": "it broke", "remedy": "mend it"}
        else:
            with pytest.raises(IllegalMove, match=f"is {here} and cannot become {there}"):
                move(job, there, clock.now())
            assert job.status == here
        assert (job.finished_at is not None) == (job.status not in ACTIVE)
        assert job.lease_expires_at is None or job.status in HELD
        assert (job.dispatched_at is not None) == (job.status == JobStatus.DISPATCHED)
        assert (job.yield_to is not None) == (job.status == JobStatus.RUNNING)
        assert (job.error is not None) == (job.status == JobStatus.FAILED)


def test_what_was_done_elsewhere_begins_at_its_end():
    job: Job = create("study", LOCAL_OWNER, 5, clock.now(), ended=JobStatus.FINISHED)
    assert job.status == JobStatus.FINISHED
    assert job.finished_at is not None
