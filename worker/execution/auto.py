"""Chooses a strategy by timing a few real updates of the real shapes on the available devices.

Measurements are kept on disk, so the next run of the same shape on the same machine starts without measuring, and a run
that is attempted again makes the same choice.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from phylon.spec.experiment import ExecutionSpec
from phylon.worker.execution import Execution, StrategyName, Workload, build_execution
from phylon.worker.execution.interface import Device
from phylon.worker.execution.sharded import devices_that_divide

FEWEST_ROUNDS, MOST_ROUNDS = 2, 30
PATIENCE_SECONDS = 1.5
"""No further round of measurements begins after this time, once there are enough."""

Measurement = dict[StrategyName, float]
"""Milliseconds per update of one member."""


class Chosen(NamedTuple):
    execution: Execution
    explanation: str


class Trial(NamedTuple):
    """One update call to measure with."""

    data: Any
    """[P, ...], as an update takes it."""
    updates: int


def choose(
    wanted: ExecutionSpec,
    work: Workload,
    trial: Callable[[], Trial],
    structure: dict[str, Any],
    measurements: Path,
    must_fuse: bool = False,
) -> Chosen:
    """The strategy that the spec names, or for `auto` the fastest. `structure`: what its speed depends on. With
    `must_fuse` only those count whose updates can be part of a larger program."""
    if wanted.strategy != "auto":
        execution = build_execution(wanted.strategy, work, wanted)
        return Chosen(execution, f"the spec asks for {execution.description}")
    found = candidates(work.population_size, jax.local_devices())
    names: list[StrategyName] = [name for name in found if name != "parallel" or not must_fuse]
    if len(names) == 1:
        execution = build_execution(names[0], work)
        return Chosen(
            execution, f"auto chose {execution.description}: nothing else fits this population and these devices"
        )
    file, executions = measurements / f"{_fingerprint(work, structure)}.json", dict[StrategyName, Execution]()
    measured, when = _read_measurement(file, names), "measured earlier on this machine"
    if measured is None:
        executions = {name: build_execution(name, work) for name in names}
        measured, when = measure(list(executions.values()), work, trial()), "measured now"
        _write_measurement(file, measured)
    best, *others = sorted(measured, key=lambda name: measured[name])
    for name, tried in executions.items():
        if name != best:
            tried.close()
    execution = executions.get(best) or build_execution(best, work)
    against = " and ".join(f"{measured[name]:.2g} {name}" for name in others)
    return Chosen(
        execution,
        f"auto chose {execution.description}: {measured[best]:.2g} ms per member-update against {against} ({when})",
    )


def candidates(population_size: int, devices: list[Device]) -> list[StrategyName]:
    """The strategies that may be fastest here. Sharding beats the sequential strategy wherever there is a second core.

    On a CPU processes do what shards do, but take seconds to start. So they are tried only where members cannot be
    divided evenly and sharding would leave cores idle: seven members on two cores learn 1.7 times as fast in two
    processes as one after the other.
    """
    shards = devices_that_divide(population_size, len(devices))
    if devices[0].platform != "cpu":
        return ["vectorized", "sharded"] if shards > 1 else ["vectorized"]
    if population_size == 1:
        return ["sequential"]
    names: list[StrategyName] = ["sharded" if shards > 1 else "sequential", "vectorized"]
    return [*names, "parallel"] if shards < min(population_size, len(devices)) else names


def measure(executions: list[Execution], work: Workload, trial: Trial) -> Measurement:
    """In interleaved rounds, so that a busy moment of the machine affects all alike; the best round counts."""
    key = np.zeros(2, np.uint32)
    hyperparams = {name: np.full(work.population_size, value, np.float32) for name, value in work.hyperparams.items()}
    inputs = [execution.place((hyperparams, trial.data)) for execution in executions]
    populations = [execution.init(key, placed) for execution, (placed, _) in zip(executions, inputs, strict=True)]

    def time_round(number: int) -> list[float]:
        seconds: list[float] = []
        for place, execution in enumerate(executions):
            placed, batches = inputs[place]
            began = time.perf_counter()
            populations[place], _ = execution.update(populations[place], placed, batches, key, number)
            jax.block_until_ready(populations[place])
            seconds.append(time.perf_counter() - began)
        return seconds

    time_round(0)  # compiles
    began, rounds = time.perf_counter(), list[list[float]]()
    while len(rounds) < FEWEST_ROUNDS or (len(rounds) < MOST_ROUNDS and time.perf_counter() - began < PATIENCE_SECONDS):
        rounds.append(time_round(len(rounds) + 1))
    updates = work.population_size * trial.updates
    best = [1e3 * min(seconds) / updates for seconds in zip(*rounds, strict=True)]
    return {execution.strategy: milliseconds for execution, milliseconds in zip(executions, best, strict=True)}


def _fingerprint(work: Workload, structure: dict[str, Any]) -> str:
    device = jax.local_devices()[0]
    facts = {
        "device": [device.platform, device.device_kind, jax.local_device_count()],
        "cores": len(os.sched_getaffinity(0)),
        "jax": jax.__version__,
        "population_size": work.population_size,
        "environment": [*work.info._replace(observation_parts=()), *map(str, work.info.observation_parts)],
        "structure": structure,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]


def _read_measurement(file: Path, names: list[StrategyName]) -> Measurement | None:
    try:
        measured = json.loads(file.read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return measured if sorted(measured) == sorted(names) else None


def _write_measurement(file: Path, measured: Measurement) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(measured))
    os.replace(temporary, file)
