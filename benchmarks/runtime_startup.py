"""How long `phylon --help` takes, and `phylon train` until members have learned for the first time.

Both are started again and again; the quickest start counts, as the one that the rest of the machine disturbed least.
The seconds of processor time beside it hold what all threads and children did, whatever else ran.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import processes
from benchmarks.report import Bar
from phylon.contract.events import Metrics
from phylon.spool import SPOOL_FILE, SpoolReader

PHYLON = (sys.executable, "-m", "phylon")
PRESET = "td3-pbt-pendulum-smoke"
HELPS, RUNS = 20, 13
LEARNED = "training/critic_loss"
"""A metric that there is from the first update on."""


class Start(NamedTuple):
    seconds: float
    cpu_seconds: float


def bars() -> list[Bar]:
    _help()  # writes the bytecode
    helps = [_help() for _ in range(HELPS)]
    with tempfile.TemporaryDirectory() as cache:
        _first_update(Path(cache))  # compiles, and lets `auto` measure
        runs = [_first_update(Path(cache)) for _ in range(RUNS)]
    return [
        _bar("`phylon --help`", 0.3, helps),
        _bar(f"`phylon train {PRESET}` to its first update, everything compiled", 4, runs),
    ]


def _bar(what: str, limit: float, starts: list[Start]) -> Bar:
    seconds, processor = ([start[place] for start in starts] for place in (0, 1))
    raw = f"{len(starts)} starts, {min(seconds):.2f} to {max(seconds):.2f} s; processor time {min(processor):.2f} s"
    return Bar(what, limit, min(seconds), raw, is_ceiling=True, unit=" s")


def _help() -> Start:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*PHYLON, "--help"], check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Start(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _first_update(cache: Path) -> Start:
    """The run is stopped then."""
    with tempfile.TemporaryDirectory() as folder:
        out, environment = Path(folder, "run"), {"PHYLON_COMPILE_CACHE": str(cache)}
        began = time.perf_counter()
        with subprocess.Popen(
            [*PHYLON, "train", PRESET, "--out", str(out)],
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as training:
            reader = SpoolReader(out / SPOOL_FILE)
            while not any(isinstance(event, Metrics) and LEARNED in event.frames for event in reader.read()):
                if training.poll() is not None:
                    raise RuntimeError(f"phylon train {PRESET} ended with code {training.returncode} before an update")
                time.sleep(0.01)
            seconds = time.perf_counter() - began
            everyone = [training.pid, *processes.descendants(training.pid)]
            start = Start(seconds, sum(map(processes.cpu_seconds, everyone)))
            training.terminate()
        return start
