"""What it costs to spread one population over processes, and which way of moving members is faster.

`python -m benchmarks.scaling` (`--small` to try it) trains PPO agents with 1 MB of weights, 16, 64 and 256 of them, in
1, 2 and 4 processes on this machine. Between segments it evolves by truncation: the worse quarter continue with the
weights and optimisers of the better quarter, 3 MB each. Segments and evolutions are the trainer's own functions. The
gangs of 1, 2 and 4 processes take turns, and within each all ways of moving members do, with the same fitness, so that
a busy moment of the machine hits all. Each process has one core, which in the gang of four two have to share.

Rows go to `benchmarks/results/scaling.jsonl`; `python -m benchmarks.scaling --write` makes the page from them alone.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import report
from phylon.launch import Launch, find_launch

ROWS = report.rows_file("scaling")
MPIEXEC = Path(sys.executable).with_name("mpiexec")
RANKS = (1, 2, 4)
SIZES, REPEATS = (16, 64, 256), 5
SMALL_SIZES, SMALL_REPEATS = (8, 16), 1
HIDDEN = (355, 355)
"""Of policy and value: 1 MB of weights together."""
STEPS = 64
PATIENCE = 1800
"""Seconds; whoever waits longer for a turn was left alone."""
Traffic = dict[str, Any]


def spec_of(size: int) -> Any:
    from phylon.spec import parse_spec

    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ActionReward-v0"},
            "algorithm": {
                **{"name": "ppo", "rollout_steps": STEPS, "epochs": 1, "minibatches": 2},
                **{"network": {"hidden": list(HIDDEN)}, "learning_rate": {"log_uniform": [1e-4, 1e-3]}},
            },
            "population": {"size": size, "method": {"name": "pbt", "interval": STEPS}},
            "budget": 100 * STEPS,
            "execution": {"strategy": "sequential"},
        }
    )


class Said:
    """Counts what processes say to each other, and which members move; `way` says how."""

    def __init__(self, gang: Any, ways: dict[str, Any]) -> None:
        self._gang, self._ways, self.way = gang, ways, "collective"
        self.shares, self.moved, self.row = 0, list[Any](), 0

    def gang(self) -> Any:
        return self._gang._replace(share=self._share, exchange=self._exchange)

    def _share(self, own: bytes) -> list[bytes]:
        self.shares += 1
        return self._gang.share(own)

    def _exchange(self, moves: Sequence[Any], pack: Callable[[int], bytes]) -> Any:
        came = self._ways[self.way](moves, pack)
        self.moved = list(moves)
        self.row = max([self.row, *map(len, came.values())])
        return came

    def take(self) -> dict[str, Any]:
        """What was said since the last time."""
        taken = {"shares": self.shares, **count_moves(self.moved), "row": self.row}
        self.shares, self.moved = 0, []
        return taken


def ways_of(launch: Any, gang: Any) -> dict[str, Any]:
    from phylon.worker.gang.mpi import exchange_by_mpi, is_under_mpi
    from phylon.worker.gang.transport import exchange_collectively, exchange_in_pairs

    ways: dict[str, Any] = {
        "collective": partial(exchange_collectively, gang.rank, gang.share),
        "pairs": partial(exchange_in_pairs, gang.rank),
    }
    return ways | ({"mpi": exchange_by_mpi(launch)} if is_under_mpi(launch, os.environ) else {})


class Turns:
    """Gangs are there all the time, and work one after the other: who may is said by files."""

    def __init__(self, folder: Path, ranks: int) -> None:
        self._folder, self._ranks, self._number = folder, ranks, 0

    def _file(self, what: str) -> Path:
        return self._folder / f"{what}-{self._ranks}-{self._number}"

    def wait(self, what: str, alive: Callable[[], bool] = lambda: True) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self._file(what).exists():
            assert alive() and time.monotonic() < deadline, f"the gang of {self._ranks} waits for its {what} in vain"
            time.sleep(0.02)
        self._number += what == "done"

    def say(self, what: str) -> None:
        self._file(what).touch()
        self._number += what == "done"


def measure_exchange(size: int, repeats: int, gang: Any, ways: dict[str, Any], turns: Turns, file: Path) -> None:
    """How members move, and what all tell all, alone: the time of the process that takes the longest."""
    from benchmarks.scaling_model import ROW, plan
    from phylon.worker.gang.gang import collect

    moves, content = plan(size, gang.size), bytes(ROW)

    def timed(kind: str, way: str, work: Callable[[], object], said: Traffic) -> None:
        collect(gang, 0)
        began = time.perf_counter()
        work()
        seconds = max(collect(gang, time.perf_counter() - began))
        row = {"kind": kind, "way": way, "ranks": gang.size, "members": size, "load": round(os.getloadavg()[0], 1)}
        if gang.is_first:
            report.append_row(file, row | {"seconds": seconds, "compile": 0.0} | said)

    for repeat in range(repeats + 1):
        first = "" if repeat else "first "  # compiles
        if gang.is_first:
            turns.wait("turn")
        for way in ways:
            said = {"shares": 0, **count_moves(moves), "row": ROW}
            timed(f"{first}exchange", way, partial(ways[way], moves, lambda _: content), said)
        timed(f"{first}share", "", lambda: gang.share(b""), {"shares": 1, **count_moves([]), "row": 0})
        if gang.is_first:
            turns.say("done")


def count_moves(moves: Sequence[Any]) -> Traffic:
    """Members that go from process to process, and that leave each."""
    transfers = Counter((move.source, move.target) for move in moves)
    donors = Counter(source for source, _ in {(move.source, move.slot) for move in moves})
    return {
        "transfers": sorted([*pair, count] for pair, count in transfers.items()),
        "donors": sorted([*each] for each in donors.items()),
    }


def measure(size: int, repeats: int, folder: Path, gang: Any, ways: dict[str, Any], turns: Turns, file: Path) -> None:
    """Segments and evolutions of one population. The first of each compiles, and is kept apart."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    from phylon.worker.core.commands import Commands
    from phylon.worker.gang.gang import collect
    from phylon.worker.training.assembly import assemble
    from phylon.worker.training.attempt import Attempt
    from phylon.worker.training.evolve import evolve
    from phylon.worker.training.journal import Journal
    from phylon.worker.training.loop import _run_segment  # pyright: ignore[reportPrivateUsage]
    from phylon.worker.training.state import make_founders
    from phylon.worker.training.stopwatch import Stopwatch

    said, stopwatch = Said(gang, ways), Stopwatch()
    parts = assemble(spec_of(size), 0, folder, folder, said.gang())
    attempt = Attempt(parts, make_founders(parts), folder, Journal(None, stopwatch), stopwatch, Commands())

    def timed(kind: str, way: str, work: Callable[[], None]) -> None:
        collect(gang, 0)
        said.take()
        stopwatch.lap()
        work()
        total, phases = stopwatch.lap()
        row = {"kind": kind, "way": way, "ranks": gang.size, "members": size, "load": round(os.getloadavg()[0], 1)}
        times = {"seconds": total - phases["compile"], "compile": phases["compile"]}
        if gang.is_first:
            report.append_row(file, row | times | said.take())

    with ThreadPoolExecutor(1) as learner, stopwatch.watch_compilation():
        for repeat in range(repeats + 1):
            first = "" if repeat else "first "
            if gang.is_first:
                turns.wait("turn")
            timed(f"{first}segment", "", lambda: _run_segment(attempt, learner))
            attempt.state.fitness = np.random.default_rng(repeat).permutation(size).astype(np.float32)
            for way in ways or [""]:
                said.way = way
                timed(f"{first}evolution", way, lambda: evolve(attempt))
            if gang.is_first:
                turns.say("done")
    parts.close()


def run_rank(sizes: Sequence[int], repeats: int, folder: Path, results: Path) -> None:
    """One process of a gang, on a core of its own as far as there are; the first one writes the rows."""
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(folder / "xla"))
    launch = find_launch(os.environ)
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[launch.rank % len(cores) if launch else 0]})
    from phylon.worker.gang import meeting
    from phylon.worker.training.process import prepare

    prepare(spec_of(max(sizes)), launch)
    from phylon.worker.gang.gang import ALONE
    from phylon.worker.gang.joining import join

    own = folder / f"gang-{launch.size if launch else 1}"
    own.mkdir(exist_ok=True)
    gang, ways = ALONE, dict[str, Any]()
    if launch:
        gang = join(
            launch, meeting.call(own, launch) if launch.is_first else meeting.find(own, launch), "collective", {}
        )
        ways = ways_of(launch, gang)
    turns = Turns(folder, gang.size)
    if launch:
        for size in sizes:
            measure_exchange(size, repeats, gang, ways, turns, results)
    for size in sizes:
        place = own / str(size)
        place.mkdir(exist_ok=True)
        measure(size, repeats, place, gang, ways, turns, results)
    gang.leave()


def launch_ranks(ranks: int, arguments: list[str], log: Path) -> list[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "benchmarks.scaling", "--rank", *arguments]
    name = uuid.uuid4().hex
    with log.open("w") as output:
        start = partial(subprocess.Popen, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        if ranks == 1:
            return [start(command)]
        if MPIEXEC.exists():
            options = ["--allow-run-as-root", "--bind-to", "none", "--oversubscribe", "-n", str(ranks)]
            return [start([MPIEXEC, *options, *command], env={**os.environ, "OMPI_MCA_btl": "self,sm"})]
        launches = [Launch(rank, ranks, name) for rank in range(ranks)]
        return [start(command, env={**os.environ, **launch.variables()}) for launch in launches]


def are_alive(processes: Sequence[subprocess.Popen[bytes]]) -> bool:
    return all(each.poll() is None for each in processes)


def run(sizes: Sequence[int], repeats: int, results: Path) -> None:
    results.unlink(missing_ok=True)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [json.dumps(list(sizes)), str(repeats), name, str(results)]
        gangs = {ranks: launch_ranks(ranks, arguments, folder / f"{ranks}.log") for ranks in RANKS}
        turns = {ranks: Turns(folder, ranks) for ranks in RANKS}
        try:
            for kind, taking in (("exchanges", [ranks for ranks in gangs if ranks > 1]), ("evolutions", [*gangs])):
                for size in sizes:
                    for _ in range(repeats + 1):
                        for ranks in taking:
                            turns[ranks].say("turn")
                            turns[ranks].wait("done", partial(are_alive, gangs[ranks]))
                    print(f"{kind} of {size} members: {time.perf_counter() - began:.0f} s", flush=True)
            assert all(each.wait() == 0 for processes in gangs.values() for each in processes)
        except AssertionError:
            for log in sorted(folder.glob("*.log")):
                print(log.read_text()[-3000:], flush=True)
            raise
        finally:
            for each in (each for processes in gangs.values() for each in processes):
                each.terminate()
                each.wait()


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--rank"]:
        sizes, repeats, folder, results = arguments[1:]
        run_rank(json.loads(sizes), int(repeats), Path(folder), Path(results))
        return
    if arguments == ["--small"]:
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "rows.jsonl"
            run(SMALL_SIZES, SMALL_REPEATS, small)
            shutil.copyfileobj(small.open(), sys.stdout)
        return
    if arguments != ["--write"]:
        run(SIZES, REPEATS, ROWS)
    from benchmarks.scaling_page import page

    report.write("scaling", page(__doc__ or "", report.read_rows(ROWS)))


if __name__ == "__main__":
    main(sys.argv[1:])
