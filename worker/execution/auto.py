"""Chooses a strategy by trying: real updates of real shapes on the devices at hand, timed for a moment.

What was measured is kept on disk, so the next run of the same shape on the same machine starts at once, and a run that
moves between attempts makes the same choice.
"""

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from phylon.spec import experiment
from worker.core.types import Transition
from worker.execution import Execution, StrategyName, Workload, build_execution
from worker.execution.interface import Device
from worker.execution.sharded import devices_that_divide

FEWEST_ROUNDS, MOST_ROUNDS = 2, 30
PATIENCE_SECONDS = 1.5
"""No further round of measurements begins after this time, once there are enough."""

Measurement = dict[StrategyName, float]
"""Milliseconds per update of one member."""


class Block(NamedTuple):
    """The shape of the work between two looks at the host."""

    updates: int
    batch_size: int


class Chosen(NamedTuple):
    execution: Execution
    explanation: str


def choose(
    wanted: experiment.StrategyName, work: Workload, block: Block, structure: dict[str, Any], measurements: Path
) -> Chosen:
    """The strategy that the spec wants, or for `auto` the fastest. `structure`: what else the work depends on."""
    if wanted != "auto":
        execution = build_execution(wanted, work)
        return Chosen(execution, f"the spec asks for {_spell(execution)}")
    names = candidates(work.population_size, jax.local_devices())
    if len(names) == 1:
        execution = build_execution(names[0], work)
        return Chosen(execution, f"auto chose {_spell(execution)}: nothing else fits this population and these devices")
    executions = {name: build_execution(name, work) for name in names}
    file = measurements / f"{_fingerprint(work, block, structure)}.json"
    measured, when = _recall(file, names), "measured earlier on this machine"
    if measured is None:
        measured, when = measure(list(executions.values()), work, block), "measured now"
        _remember(file, measured)
    best, *others = sorted(measured, key=lambda name: measured[name])
    against = " and ".join(f"{measured[name]:.2g} {name}" for name in others)
    return Chosen(
        executions[best],
        f"auto chose {_spell(executions[best])}: {measured[best]:.2g} ms per member-update against {against} ({when})",
    )


def candidates(population_size: int, devices: list[Device]) -> list[StrategyName]:
    """What may be fastest here. Sharding beats the sequential strategy wherever it has a second core."""
    can_shard = devices_that_divide(population_size, len(devices)) > 1
    if devices[0].platform != "cpu":
        return ["vectorized", "sharded"] if can_shard else ["vectorized"]
    if population_size == 1:
        return ["sequential"]
    return ["sharded", "vectorized"] if can_shard else ["sequential", "vectorized"]


def measure(executions: list[Execution], work: Workload, block: Block) -> Measurement:
    """Rounds in which each takes its turn, so that a busy moment of the machine hits all; the best round counts."""
    key = np.zeros(2, np.uint32)
    hyperparams = {name: np.full(work.population_size, value, np.float32) for name, value in work.hyperparams.items()}
    inputs = [execution.place((hyperparams, _random_batches(work, block))) for execution in executions]
    populations = [execution.init(key, placed) for execution, (placed, _) in zip(executions, inputs, strict=True)]

    def one_round(number: int) -> list[float]:
        seconds: list[float] = []
        for place, execution in enumerate(executions):
            placed, batches = inputs[place]
            began = time.perf_counter()
            populations[place], _ = execution.update(populations[place], placed, batches, key, number)
            jax.block_until_ready(populations[place])
            seconds.append(time.perf_counter() - began)
        return seconds

    one_round(0)  # compiles
    began, rounds = time.perf_counter(), list[list[float]]()
    while len(rounds) < FEWEST_ROUNDS or (len(rounds) < MOST_ROUNDS and time.perf_counter() - began < PATIENCE_SECONDS):
        rounds.append(one_round(len(rounds) + 1))
    updates = work.population_size * block.updates
    best = [1e3 * min(seconds) / updates for seconds in zip(*rounds, strict=True)]
    return {execution.strategy: milliseconds for execution, milliseconds in zip(executions, best, strict=True)}


def _random_batches(work: Workload, block: Block) -> Transition[Any]:
    random = np.random.default_rng(0)

    def field(*shape: int) -> Any:
        return random.random((work.population_size, *block, *shape), np.float32)

    observation, action = work.info.observation_shape, work.info.action_size
    return Transition(field(*observation), field(action), field(), field(), field(*observation))


def _fingerprint(work: Workload, block: Block, structure: dict[str, Any]) -> str:
    device = jax.local_devices()[0]
    facts = {
        "device": [device.platform, device.device_kind, jax.local_device_count()],
        "cores": len(os.sched_getaffinity(0)),
        "jax": jax.__version__,
        "population_size": work.population_size,
        "shapes": [work.info.observation_shape, work.info.action_size, *block],
        "structure": structure,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]


def _recall(file: Path, names: list[StrategyName]) -> Measurement | None:
    try:
        measured = json.loads(file.read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return measured if sorted(measured) == sorted(names) else None


def _remember(file: Path, measured: Measurement) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(measured))
    os.replace(temporary, file)


def _spell(execution: Execution) -> str:
    count = len(execution.devices)
    return f"{execution.strategy} over {count} devices" if count > 1 else execution.strategy
