"""What it costs to store Atari frames once and to build stacks when they are sampled, against storing whole stacks.

Four members with four environments each play Pong at random. A segment adds 40 transitions per member and samples
ten batches of 32, as in the preset dqn-pong. Times are the least of all rounds, for one transition.
"""

import time

import numpy as np

from benchmarks import report
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.types import Transition
from phylon.worker.environments import describe, make_environments
from phylon.worker.replay import FrameReplay, Replay
from phylon.worker.training.collect import FixedActions, HostCollector, flatten_time
from phylon.worker.training.stopwatch import Stopwatch

MEMBERS, ENVS, CAPACITY = 4, 4, 2000
CALLS, UPDATES, BATCH = 10, 10, 32
ROUNDS = 40
INFO = describe("envpool", "Pong-v5")._replace(envs_per_member=ENVS)


def play() -> list[Transition[np.ndarray]]:
    environment = EnvironmentSpec(suite="envpool", id="Pong-v5", envs_per_member=ENVS)
    collector = HostCollector(make_environments(environment, MEMBERS * ENVS), MEMBERS, 0)
    random = np.random.default_rng(0)
    collector.restart(0)

    def act() -> FixedActions:
        return FixedActions(random.integers(0, INFO.action_size, (CALLS, MEMBERS, ENVS), np.int32))

    played = [flatten_time(collector.collect(act(), Stopwatch())) for _ in range(ROUNDS)]
    collector.close()
    return played


def measure(replay: Replay | FrameReplay, played: list[Transition[np.ndarray]]) -> list[str]:
    adding, drawing = [], []
    for number, batch in enumerate(played):
        start = time.perf_counter()
        replay.add(batch)
        added = time.perf_counter()
        replay.sample(0, number, UPDATES, BATCH)
        adding.append((added - start) / (MEMBERS * CALLS * ENVS))
        drawing.append((time.perf_counter() - added) / (MEMBERS * UPDATES * BATCH))
    saved = sum(array.nbytes for array in replay.to_arrays().values())
    times = [f"{1e6 * min(values):.0f}" for values in (adding, drawing)]
    return [*times, f"{replay.nbytes / 2**20:,.0f}", f"{saved / 2**20:,.0f}"]


if __name__ == "__main__":
    played = play()
    rows = [
        ["whole stacks", *measure(Replay(MEMBERS, CAPACITY, INFO), played)],
        ["frames, once", *measure(FrameReplay(MEMBERS, CAPACITY, INFO), played)],
    ]
    header = ["stored", "adding, µs", "drawing, µs", "memory when full, MiB", "checkpoint, MiB"]
    note = f"`python -m benchmarks.replay`, {CAPACITY:,} transitions per member. {report.machine()}."
    report.write("replay", f"# Replay of stacked frames\n\n{__doc__}\n{note}\n\n{report.table(header, rows)}\n")
