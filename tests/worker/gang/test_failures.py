"""When one process of a gang dies, or never comes, the others end; the run then goes on from its last checkpoint."""

import signal
import time
from pathlib import Path

import pytest

from phylon.contract.events import Checkpoint, Failed, Metrics, Started
from phylon.worker.core.commands import CRASHED, FAILED

from ..training.runs import events_of
from .conftest import SECONDS, Ranks, begin, train_alone
from .test_equal import BASE, check_equal

pytestmark = pytest.mark.timeout(1800)
LONG = BASE | {
    "budget": {"env_steps": 1600},
    "evaluation": {"interval": 400, "episodes": 1, "final": 1},
    "checkpoint": {"interval": 160, "resume": "exact"},
    "population": {"size": 4, "method": {"name": "pbt", "interval": 240}},
}
STOPPED_SECONDS = 1.0
"""In which processes that do not wait for a stopped one would come far."""


def wait_for_work_after(ranks: Ranks, run_dir: Path, checkpoints: int) -> None:
    """Metrics were emitted after so many checkpoints, so work is lost when a process dies now."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        events = events_of(run_dir)
        places = [place for place, event in enumerate(events) if isinstance(event, Checkpoint)]
        if len(places) >= checkpoints and any(isinstance(each, Metrics) for each in events[places[checkpoints - 1] :]):
            return
        assert all(process.poll() is None for process in ranks.processes), ranks.said()
        time.sleep(0.005)
    raise AssertionError(ranks.said())


def check_all_wait_for(slow: int, ranks: Ranks, run_dir: Path) -> None:
    """While one is stopped the others come to the end of their segment, and no further."""
    ranks.processes[slow].send_signal(signal.SIGSTOP)
    before = events_of(run_dir)[-1].step
    time.sleep(STOPPED_SECONDS)
    after = events_of(run_dir)[-1].step
    assert after <= before + 2 * LONG["metrics"]["interval"], "nobody waited"
    assert all(process.poll() is None for process in ranks.processes), ranks.said()
    ranks.processes[slow].send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_run_of_four_goes_on_after_any_process_died_as_if_nothing_had_happened(start, tmp_path: Path):
    alone, run_dir = begin(tmp_path / "alone", LONG), begin(tmp_path / "run", LONG)
    train_alone(alone)
    for killed, checkpoints in ((2, 2), (0, 4)):
        ranks = start(4, "phylon.worker.training", run_dir)
        wait_for_work_after(ranks, run_dir, checkpoints - 1)
        check_all_wait_for(3, ranks, run_dir)
        wait_for_work_after(ranks, run_dir, checkpoints)
        ranks.processes[killed].send_signal(signal.SIGKILL)
        codes = ranks.end()
        assert codes.pop(killed) == -signal.SIGKILL, "it was to be killed in the middle of the run"
        # By a peer that hung up, or by JAX, which ends a process whose coordinator is gone.
        assert {*codes} <= {CRASHED, -signal.SIGABRT}, ranks.said()
    ranks = start(2, "phylon.worker.training", run_dir)
    wait_for_work_after(ranks, run_dir, 6)
    ranks.processes[1].stdin.write(b"stop\n")  # an order to one is an order to all
    assert ranks.end() == [0, 0], ranks.said()
    assert events_of(run_dir)[-1].kind == "stopped"
    train_alone(run_dir)
    started = [event for event in events_of(run_dir) if isinstance(event, Started)]
    assert [event.resumed for event in started] == [False, True, True, True]
    assert 320 <= started[1].step < started[2].step < started[3].step < 1600
    check_equal(run_dir, alone)


def test_one_that_never_comes(start, tmp_path: Path):
    """The others end, and the first of those that came says who waited how long for whom."""
    gangs = {
        first: start(
            4, "phylon.worker.training", begin(tmp_path / str(first), BASE), ranks=came, PHYLON_JOIN_SECONDS="3"
        )
        for first, came in ((1, (1, 2, 3)), (0, (0, 1, 2)))
    }
    for first, ranks in gangs.items():
        codes = ranks.end()
        assert codes[0] == CRASHED and {*codes} <= {CRASHED, -signal.SIGABRT}, ranks.said()
        said = ranks.logs[0].read_text()
        assert f"process {first} of 4 waited 3 s" in said and "all of PHYLON_HOSTS=4" in said, said
        assert "PHYLON_JOIN_SECONDS" in said


def test_one_that_fails_alone_ends_the_others(start, tmp_path: Path):
    """Its interpreter cannot start the processes that train its members, which it finds out when they are to learn."""
    parallel = {"execution": BASE["execution"] | {"strategy": "parallel", "processes": 1}}
    run_dir = begin(tmp_path / "run", BASE | parallel)
    ranks = start(2, "phylon.worker.training", run_dir, only={1: {"PYTHONHOME": str(tmp_path)}})
    assert ranks.end() == [CRASHED, FAILED], ranks.said()
    said = ranks.logs[1].read_text()
    assert "failed: the process that trains members" in said and "ended with exit code" in said, said
    assert "it leaves, which ends the others" in said, said


def test_what_all_refuse_is_said_once(start, tmp_path: Path):
    """A spec that is not valid, and more processes than members."""
    runs = {
        "2 processes were launched for 1 members": {"population": {"size": 1, "method": {"name": "independent"}}},
        "the spec is not valid": {"budget": {"env_steps": -1}},
    }
    gangs = {said: begin(tmp_path / said, BASE | changes) for said, changes in runs.items()}
    started = {said: start(2, "phylon.worker.training", run_dir) for said, run_dir in gangs.items()}
    for said, run_dir in gangs.items():
        assert started[said].end() == [FAILED, FAILED], started[said].said()
        (failed,) = events_of(run_dir)
        assert isinstance(failed, Failed) and said in failed.message
