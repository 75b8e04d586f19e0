"""What a population update of TD3 costs under each execution strategy.

The work of fastpbrl's Figure 2: 17 observations, 6 actions, two hidden layers of 256, batch 256, 50 updates a call.
Strategies take turns within each round, so that a busy moment of the machine hits all of them; the table gives median
and quartiles over the rounds, per update of one member.
"""

import os
import statistics
import time

CORES = len(os.sched_getaffinity(0))
os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count={CORES}")

import jax  # noqa: E402 - it reads the flags at import
import numpy as np  # noqa: E402

from benchmarks import report  # noqa: E402
from phylon.spec import TD3Spec, bounds, hyperparameters  # noqa: E402
from worker.algorithms import build_algorithm  # noqa: E402
from worker.core.types import EnvironmentInfo, Transition  # noqa: E402
from worker.execution import STRATEGIES, Execution, Workload, build_execution  # noqa: E402
from worker.population import sample_hyperparams  # noqa: E402

SIZES = (1, 2, 4, 8, 16)
UPDATES, BATCH = 50, 256
ROUNDS = 7
INFO = EnvironmentInfo(observation_shape=(17,), action_size=6, max_episode_steps=1000)
SPEC = TD3Spec(name="td3")


class Contender:
    """One strategy with a population of its own."""

    def __init__(self, name: str, work: Workload) -> None:
        self.execution: Execution = build_execution(name, work)  # pyright: ignore[reportArgumentType]
        hyperparams = sample_hyperparams(jax.random.key(0), SPEC, work.population_size)
        self._hyperparams = self.execution.place(hyperparams)
        self._batches = self.execution.place(random_batches(work.population_size))
        self._key = np.zeros(2, np.uint32)
        self._population = self.execution.init(self._key, self._hyperparams)
        self.compile_seconds = self.turn(0)

    def turn(self, number: int) -> float:
        start = time.perf_counter()
        self._population, told = self.execution.update(
            self._population, self._hyperparams, self._batches, self._key, number
        )
        jax.block_until_ready((self._population, told))
        return time.perf_counter() - start


def random_batches(size: int) -> Transition:
    random = np.random.default_rng(0)

    def field(*shape: int) -> np.ndarray:
        return random.random((size, UPDATES, BATCH, *shape), np.float32)

    return Transition(field(17), field(6), field(), np.zeros((size, UPDATES, BATCH), np.float32), field(17))


def measure(size: int) -> dict[str, tuple[list[float], float]]:
    """For each strategy milliseconds per member-update, one value a round, and the seconds of its first call."""
    typical = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(SPEC).items()}
    work = Workload(build_algorithm(SPEC, INFO), INFO, size, typical)
    contenders = {name: Contender(name, work) for name in STRATEGIES}
    rounds: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(1, ROUNDS + 1):
        for name, contender in contenders.items():
            rounds[name].append(1e3 * contender.turn(number) / (size * UPDATES))
    return {name: (rounds[name], contender.compile_seconds) for name, contender in contenders.items()}


def main() -> None:
    rows: list[list[str]] = []
    for size in SIZES:
        measured = measure(size)
        baseline = statistics.median(measured["sequential"][0])
        for name, (values, compile_seconds) in measured.items():
            low, middle, high = statistics.quantiles(values, n=4)
            spread, gain = f"{low:.2f} to {high:.2f}", f"{baseline / middle:.2f}x"
            rows.append([str(size), name, f"{middle:.2f}", spread, gain, f"{compile_seconds:.1f}"])
            print(" ".join(rows[-1]), flush=True)
    header = ["members", "strategy", "ms per member-update", "quartiles", "against sequential", "first call, s"]
    report.write(
        "strategies",
        f"# Execution strategies, TD3\n\nWritten by `python -m benchmarks.strategies`. {report.machine()}.\n"
        f"17 observations, 6 actions, hidden (256, 256), batch {BATCH}, {UPDATES} updates a call, policy delay 2, "
        f"median of {ROUNDS} interleaved rounds.\n\n{report.table(header, rows)}\n",
    )


if __name__ == "__main__":
    main()
