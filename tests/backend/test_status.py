"""Moves of a run's status."""

import itertools

import pytest

from phylon.backend.kit import clock
from phylon.backend.models import Run
from phylon.backend.runs.status import ACTIVE, HELD, IllegalMove, RunStatus, move

LEGAL = {
    ("queued", "dispatched"), ("queued", "running"), ("queued", "stopped"),
    ("dispatched", "queued"), ("dispatched", "running"), ("dispatched", "stopped"),
    ("running", "queued"), ("running", "stopping"), ("running", "finished"), ("running", "stopped"),
    ("running", "failed"),
    ("stopping", "finished"), ("stopping", "stopped"), ("stopping", "failed"),
}  # fmt: skip


@pytest.mark.parametrize(("here", "there"), list(itertools.product(RunStatus, RunStatus)))
def test_legal_moves_and_no_others(here, there):
    run = Run(id=3, status=here.value)
    if (here, there) in LEGAL:
        move(run, there, clock.now())
        assert run.status == there
    else:
        with pytest.raises(IllegalMove, match=f"Run 3 is {here} and cannot become {there}"):
            move(run, there, clock.now())
        assert run.status == here


def test_an_end_is_dated_and_gives_the_lease_back():
    run = Run(id=3, status="running", lease_expires_at=clock.now())
    move(run, RunStatus.FINISHED, clock.now())
    assert run.finished_at is not None
    assert run.lease_expires_at is None


def test_nothing_leads_out_of_an_end():
    assert {here for here, _ in LEGAL} == ACTIVE
    assert HELD < ACTIVE
