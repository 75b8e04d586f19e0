"""How much the platform bears: storms, requests that nobody thought of, and hours of work.

    python -m benchmarks.reliability storm --minutes 60      one storm after the other over one platform
    python -m benchmarks.reliability requests --cases 5000   every operation of the API, as every role
    python -m benchmarks.reliability soak --minutes 60       memory of API, supervisor and trainer

Each prints its part of docs/benchmarks/reliability.md and ends with an error when something was found. The storms and
the requests are those of tests/chaos, only more of them.
"""

import argparse
import math
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from benchmarks.reliability_soak import soak
from benchmarks.report import machine, table
from tests.chaos.aftermath import assert_all_is_well
from tests.chaos.cases import walk
from tests.chaos.fleet import Fleet
from tests.chaos.plan import FAULTS, make_plan
from tests.chaos.storm import Story, rage, read_undisturbed
from tests.chaos.world import World

OPERATIONS = 100
"""At least so many; a request of each is asked before a second one of any."""


def storm(minutes: float, seed: int) -> int:
    """The number of storms that the platform did not bear."""
    began, stories, broken = time.monotonic(), list[Story](), list[int]()
    with tempfile.TemporaryDirectory(prefix="phylon-chaos-", ignore_cleanup_errors=True) as folder:
        while time.monotonic() - began < 60 * minutes:
            place = Path(tempfile.mkdtemp(dir=folder))
            seed = _rage_until_broken(place, Path(folder) / "xla", seed, began + 60 * minutes, stories, broken)
    _report_storms(stories, broken, (time.monotonic() - began) / 60)
    return len(broken)


def _rage_until_broken(
    folder: Path, compile_cache: Path, seed: int, until: float, stories: list[Story], broken: list[int]
) -> int:
    """On one platform; the seed to go on with on a new one."""
    fleet = Fleet(folder, compile_cache)
    try:
        fleet.start()
        undisturbed = read_undisturbed(fleet)
        while time.monotonic() < until:
            plan = make_plan(seed, FAULTS, fleet.has_small_disks)
            print(plan, flush=True)
            story = rage(fleet, plan, lambda line: print(line, flush=True))
            assert_all_is_well(fleet, story.jobs, undisturbed)
            stories.append(story)
            print(f"borne after {story.seconds:.0f} s; attempts ended: {dict(story.ends)}", flush=True)
            seed += 1
    except Exception:
        broken.append(seed)
        seed += 1
        traceback.print_exc()
        print(fleet.logs(), flush=True)
    finally:
        fleet.close()
    return seed


def _report_storms(stories: list[Story], broken: list[int], minutes: float) -> None:
    faults = Counter(fault.kind for story in stories for fault in story.struck)
    ends: Counter[str] = sum((story.ends for story in stories), Counter())
    print(f"\n{machine()}\n\n{len(stories)} storms in {minutes:.0f} minutes, {faults.total()} faults, ", end="")
    print(f"{6 * len(stories)} jobs, {ends.total()} attempts; not borne: {broken or 'none'}.\n")
    print(table(["fault", "times"], [[kind, str(times)] for kind, times in sorted(faults.items())]))
    print()
    print(table(["attempts ended as", "times"], [[end, str(times)] for end, times in ends.most_common()]))


def ask(cases: int, seed: int) -> int:
    """The number of answers that should not be."""
    with tempfile.TemporaryDirectory(prefix="phylon-chaos-") as folder:
        world = World(Path(folder))
        try:
            result = walk(world, math.ceil(cases / OPERATIONS), seed)
        finally:
            world.close()
    print(f"\n{machine()}\n\n{result.statuses.total():,} requests of {result.operations} operations; ", end="")
    print(f"{len(result.findings)} findings.\n")
    print(
        table(["status", "answers"], [[str(status), str(times)] for status, times in sorted(result.statuses.items())])
    )
    return len(result.findings)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("storm", "soak"):
        commands.add_parser(name).add_argument("--minutes", type=float, default=60.0)
    commands.add_parser("requests").add_argument("--cases", type=int, default=5000)
    for name in ("storm", "requests"):
        commands.choices[name].add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that ending us ends the platform, too
    if options.command == "storm":
        return min(1, storm(options.minutes, options.seed))
    if options.command == "requests":
        return min(1, ask(options.cases, options.seed))
    return min(1, soak(options.minutes))


if __name__ == "__main__":
    sys.exit(main())
