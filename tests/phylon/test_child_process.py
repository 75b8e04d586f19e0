"""The process of a job: its output, its orders, its end."""

import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import psutil
import pytest

from phylon.child_process import LONGEST_LINE, ChildProcess

Start = Callable[..., ChildProcess]


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def start(tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Runs a script in the place of a job's module."""
    started: list[ChildProcess] = []

    def run(script: str, cores: Collection[int] | None = None) -> ChildProcess:
        (tmp_path / "job_of_the_test.py").write_text(f"import os, signal, sys, time\n{script}\n")
        environment = {"PYTHONPATH": str(tmp_path), "PATH": ""}
        started.append(ChildProcess("job_of_the_test", tmp_path, lines.append, environment, cores))
        return started[-1]

    yield run
    for child in started:
        child.finish()


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_output_comes_line_by_line_and_explains_a_crash(start: Start, lines: list[str]):
    child = start("print('one'); print('two', file=sys.stderr); print('three', end='', flush=True); sys.exit(3)")
    wait_for(lambda: child.exit_code is not None)
    assert child.finish() == 3
    assert lines == ["one", "two", "three"]
    assert child.describe_end().endswith("exited with code 3 without an outcome; its last output was:\none\ntwo\nthree")


def test_output_without_line_breaks_comes_in_pieces(start: Start, lines: list[str]):
    child = start(f"sys.stdout.write('x' * {10 * LONGEST_LINE}); sys.stdout.flush(); time.sleep(600)")
    wait_for(lambda: len(lines) == 10)
    assert {len(line) for line in lines} == {LONGEST_LINE}
    assert child.exit_code is None


def test_an_order_comes_once_and_one_that_yields_can_still_be_stopped(start: Start, lines: list[str]):
    child = start("print('ready', flush=True)\nfor line in sys.stdin: print('got', line, flush=True)")
    wait_for(lambda: lines)
    for command in ("yield", "yield", "stop", "stop", "yield"):
        child.order(command)
    wait_for(lambda: len(lines) > 2)
    child.finish()
    assert lines == ["ready", "got yield", "got stop"]


def test_it_starts_on_its_cores(start: Start, lines: list[str]):
    [core, *_] = before = sorted(os.sched_getaffinity(0))
    child = start("print(os.sched_getaffinity(0), flush=True)", cores=[core])
    wait_for(lambda: child.exit_code is not None)
    child.finish()
    assert lines == [str({core})]
    assert sorted(os.sched_getaffinity(0)) == before


def test_a_process_that_does_not_obey_gets_sigterm_then_sigkill(start: Start):
    child = start("time.sleep(600)")
    psutil.Process(child.pid).suspend()  # deaf to its stdin and to SIGTERM alike
    assert child.escalate() is None, "nothing was asked of it"
    child.order("stop")
    assert child.escalate() is None, "it has time"
    child.order("stop", grace_seconds=0.2)
    said: list[str] = []
    wait_for(lambda: said.extend(filter(None, [child.escalate()])) or child.exit_code is not None)
    assert child.finish() == -signal.SIGKILL
    assert said == ["the process did not obey 'stop'; it gets SIGTERM, then SIGKILL"]
    assert "was killed by SIGKILL" in child.describe_end()


def test_what_it_started_ends_with_it(start: Start, lines: list[str]):
    child = start("import subprocess\nprint(subprocess.Popen(['/bin/sleep', '600']).pid, flush=True)\ntime.sleep(600)")
    wait_for(lambda: lines)
    grandchild = psutil.Process(int(lines[0]))
    child.finish()
    wait_for(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE)


def test_it_runs_with_this_python(start: Start, lines: list[str]):
    child = start("print(sys.executable)")
    wait_for(lambda: child.exit_code is not None)
    child.finish()
    assert lines == [sys.executable]
