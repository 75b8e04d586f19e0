"""When one process of a gang dies, or never comes, the others end; the run then goes on from its last checkpoint."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from phylon.contract.events import Checkpoint, Failed, Metrics, Started
from phylon.worker.core.commands import CRASHED

from ..training.runs import events_of
from .conftest import SECONDS, Ranks, begin, train_alone
from .test_equal import BASE, check_equal

pytestmark = pytest.mark.timeout(1800)
LONG = BASE | {"budget": {"env_steps": 3000}, "evaluation": {"interval": 500, "episodes": 1, "final": 1}}
LONG |= {
    "checkpoint": {"interval": 300, "resume": "exact"},
    "population": {"size": 4, "method": {"name": "pbt", "interval": 500}},
}


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


def send_order(process: subprocess.Popen[bytes], order: str) -> None:
    assert process.stdin
    process.stdin.write(f"{order}\n".encode())
    process.stdin.flush()


@pytest.mark.slow
def test_a_run_goes_on_after_any_process_died_as_if_nothing_had_happened(start, tmp_path: Path):
    alone, run_dir = begin(tmp_path / "alone", LONG), begin(tmp_path / "run", LONG)
    train_alone(alone)
    for killed, checkpoints in ((1, 2), (0, 4)):
        ranks = start(2, "phylon.worker.training", run_dir)
        wait_for_work_after(ranks, run_dir, checkpoints)
        ranks.processes[killed].kill()
        codes = ranks.end()
        assert codes[killed] == -signal.SIGKILL, "it was to be killed in the middle of the run"
        # By a peer that hung up, or by JAX, which ends a process whose coordinator is gone.
        assert codes[1 - killed] in (CRASHED, -signal.SIGABRT), ranks.said()
    ranks = start(2, "phylon.worker.training", run_dir)
    wait_for_work_after(ranks, run_dir, 6)
    send_order(ranks.processes[1], "stop")  # an order to one is an order to all
    assert ranks.end() == [0, 0], ranks.said()
    assert events_of(run_dir)[-1].kind == "stopped"
    ranks = start(2, "phylon.worker.training", run_dir)
    assert ranks.end() == [0, 0], ranks.said()
    started = [event for event in events_of(run_dir) if isinstance(event, Started)]
    assert [event.resumed for event in started] == [False, True, True, True]
    assert 600 <= started[1].step < started[2].step < started[3].step < 3000
    check_equal(run_dir, alone)


@pytest.mark.parametrize("missing", [0, 1])
def test_one_that_never_comes(missing: int, start, tmp_path: Path):
    run_dir = begin(tmp_path / "run", BASE)
    ranks = start(2, "phylon.worker.training", run_dir, PHYLON_JOIN_SECONDS="5")
    ranks.processes[missing].kill()
    assert ranks.end()[1 - missing] == CRASHED
    said = ranks.logs[1 - missing].read_text()
    assert f"process {1 - missing} of 2 waited 5 s" in said and "PHYLON_JOIN_SECONDS" in said


def test_more_processes_than_members_are_refused(start, tmp_path: Path):
    run_dir = begin(tmp_path / "run", BASE | {"population": {"size": 1, "method": {"name": "independent"}}})
    ranks = start(2, "phylon.worker.training", run_dir)
    assert ranks.end() == [1, 1], ranks.said()
    (failed,) = events_of(run_dir)
    assert isinstance(failed, Failed) and failed.message == "2 processes were launched for 1 members"


def test_a_spec_that_one_refuses_all_refuse(start, tmp_path: Path):
    run_dir = begin(tmp_path / "run", BASE | {"budget": {"env_steps": -1}})
    ranks = start(2, "phylon.worker.training", run_dir)
    assert ranks.end() == [1, 1], ranks.said()
    (failed,) = events_of(run_dir)
    assert isinstance(failed, Failed) and "the spec is not valid" in failed.message
