"""What a segment of SAC costs with the replay on the device, beside one with the replay in host memory.

Four members play gymnax's Pendulum in four environments each: 48 steps, then 48 updates. Both placements take turns in
one process, which begins with the same weights and draws the same transitions. The time is that of the processor (all
threads of the process), because a machine may have other work to do: what an accelerator gains, because nothing waits
for the host, is not in it. A column gives the median over the rounds, and the last one the median of their ratios.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks import report
from phylon.spec import bounds, hyperparameters, parse_spec
from phylon.worker.training.assembly import assemble
from phylon.worker.training.collect import FixedActions, PolicyActions
from phylon.worker.training.randomness import random_actions, run_key
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.stopwatch import Stopwatch

MEMBERS, ENVS, STEPS, WARM_ROUNDS, ROUNDS = 4, 4, 48, 3, 12
CALLS = STEPS // ENVS
SIZES = {"64 x 64, batch 64": (64, 64), "256 x 256, batch 256": (256, 256)}


def spec_of(width: int, batch: int, placement: str) -> Any:
    return parse_spec(
        {
            "environment": {"suite": "gymnax", "id": "Pendulum-v1", "envs_per_member": ENVS},
            "algorithm": {"name": "sac", "batch_size": batch, "network": {"hidden": [width, width]}},
            "population": {"size": MEMBERS, "method": "independent"},
            "replay": {"capacity": 100_000, "ratio": 1.0, "placement": placement},
            "budget": {"env_steps": 480_000},
            "execution": {"strategy": "sharded", "segment_steps": STEPS},
        }
    )


def segments(width: int, batch: int, placement: str, folder: Path) -> Callable[[int], None]:
    """Runs the segment with the given number."""
    spec, stopwatch, key = spec_of(width, batch, placement), Stopwatch(), run_key(0)
    parts = assemble(spec, 0, folder / f"{placement}-{width}", folder)
    execution, experience = parts.execution, parts.experience
    numbers = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(spec.algorithm).items()}
    placed = execution.place({name: np.full(MEMBERS, value, np.float32) for name, value in numbers.items()})
    population = execution.init(key, placed)
    parts.collector.restart(0)
    actions = random_actions(0, 0, (CALLS, MEMBERS, ENVS), parts.work.info)
    for _ in range(40):
        experience.add(parts.collector.collect(FixedActions(actions), stopwatch))

    def on_device(number: int) -> None:
        nonlocal population
        assert parts.segment is not None
        population, _ = parts.segment.run(number, CALLS, population, placed, stopwatch)

    def on_host(number: int) -> None:
        nonlocal population
        assert not isinstance(experience, DeviceReplay)
        behaviour = PolicyActions(execution.acting.actor(population, placed), execution.acting.keys(key, number, CALLS))
        experience.add(parts.collector.collect(behaviour, stopwatch))
        for call, batches in enumerate(experience.draw(number)):
            first = number * experience.updates + call * experience.at_once
            population, reports = execution.update(population, placed, execution.place(batches), key, first)
            jax.device_get(reports)

    return on_device if placement == "device" else on_host


def measure(name: str, folder: Path) -> list[str]:
    """A row of the table."""
    run = {where: segments(*SIZES[name], where, folder) for where in ("host", "device")}
    spent: dict[str, list[float]] = {where: [] for where in run}
    for number in range(WARM_ROUNDS + ROUNDS):
        for where in sorted(run, reverse=number % 2 == 0):
            began = time.process_time()
            run[where](number)
            spent[where].append(1e3 * (time.process_time() - began))
    host, device = (spent[where][WARM_ROUNDS:] for where in ("host", "device"))
    ratios = [one / other for one, other in zip(host, device, strict=True)]
    return [
        name,
        *(f"{statistics.median(values):.1f}" for values in (host, device)),
        f"{statistics.median(ratios):.2f}",
    ]


if __name__ == "__main__":
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jax.config.update("jax_num_cpu_devices", len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        for sizes in SIZES.values():
            for where in ("host", "device"):
                (Path(folder) / f"{where}-{sizes[0]}").mkdir()
        rows = [measure(name, Path(folder)) for name in SIZES]
    header = ["networks", "replay on the host, ms", "replay on the device, ms", "host / device"]
    load = f"load of the machine meanwhile {os.getloadavg()[0]:.1f}"
    note = f"`python -m benchmarks.placement`, {ROUNDS} rounds. {report.machine()}; {load}."
    report.write("placement", f"# Where the replay lies\n\n{__doc__}\n{note}\n\n{report.table(header, rows)}\n")
