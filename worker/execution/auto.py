"""Chooses a strategy by timing a few real updates of the real shapes on the available devices.

A batch that the device's memory does not hold is halved until it does. What was found is kept on disk, so the next run
of the same shape on the same machine starts without measuring, and a run that is attempted again makes the same choice.
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
from phylon.worker.execution.compilation import Shares
from phylon.worker.execution.interface import Device
from phylon.worker.execution.out_of_memory import is_out_of_memory

FEWEST_ROUNDS, MOST_ROUNDS = 2, 30
PATIENCE_SECONDS = 1.5
"""No further round of measurements begins after this time, once there are enough."""

NOTHING_ELSE = "nothing else fits this population and these devices"


class Measured(NamedTuple):
    """Of one strategy."""

    milliseconds: float
    """Per update of one member."""
    chunk: int | None
    """Members of a batch, where all at once do not fit into the device's memory."""


Measurement = dict[StrategyName, Measured]


class Chosen(NamedTuple):
    execution: Execution
    explanation: str
    chunk: int | None = None
    """That `auto` had to settle for."""


class Fitting(NamedTuple):
    """A strategy whose update the device's memory holds."""

    execution: Execution
    chunk: int | None


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
    devices = jax.local_devices()
    names: list[StrategyName] = candidates(work.population_size, devices)
    if must_fuse:
        are_even = Shares.of(work.population_size, len(devices)).are_even
        names = [name for name in names if name != "parallel" and (name != "sharded" or are_even)]
    if len(names) == 1 and devices[0].platform == "cpu":
        execution = build_execution(names[0], work)
        return Chosen(execution, f"auto chose {execution.description}: {NOTHING_ELSE}")
    file, fitting = measurements / f"{_fingerprint(work, structure)}.json", list[Fitting]()
    measured, when = _read_measurement(file, names), "measured earlier on this machine"
    if measured is None:
        tried = trial()
        fitting = find_fitting(names, work, tried)
        measured, when = measure(fitting, work, tried), "measured now"
        _write_measurement(file, measured)
    best, *others = sorted(measured, key=lambda name: measured[name].milliseconds)
    chunk, built = measured[best].chunk, {each.execution.strategy: each.execution for each in fitting}
    for name, other in built.items():
        if name != best:
            other.close()
    execution = built.get(best) or _build(best, work, chunk)
    why = NOTHING_ELSE
    if others:
        against = " and ".join(f"{measured[name].milliseconds:.2g} {name}" for name in others)
        why = f"{measured[best].milliseconds:.2g} ms per member-update against {against} ({when})"
    explanation = f"auto chose {execution.description}: {why}"
    if too_large := [name for name in names if name not in measured]:
        explanation += f"; {' and '.join(too_large)} ran out of the device's memory"
    if chunk is not None:
        explanation += f"; all {work.population_size} members at once ran out of the device's memory"
    return Chosen(execution, explanation, chunk)


def find_fitting(names: list[StrategyName], work: Workload, trial: Trial) -> list[Fitting]:
    """Compiles each and runs it once, alone. A batch that the device's memory does not hold is halved until it does;
    other strategies have none. Where nothing fits, the device's last error remains."""
    found, error = list[Fitting](), None
    for name in names:
        sizes = _halves(work.population_size) if name == "vectorized" else [None]
        for chunk in sizes:
            execution = _build(name, work, chunk)
            try:
                _Turns(execution, work, trial).take(0)
            except jax.errors.JaxRuntimeError as raised:
                execution.close()
                if not is_out_of_memory(raised):
                    raise
                error = raised.with_traceback(None)  # which would keep what lies on the device
            else:
                found.append(Fitting(execution, chunk))
                break
    if error is not None and not found:
        raise error
    return found


def _halves(size: int) -> list[int | None]:
    """None, which is all at once, then half of them, and so on."""
    halves: list[int | None] = [None]
    while size > 1:
        size = -(-size // 2)
        halves.append(size)
    return halves


def _build(name: StrategyName, work: Workload, chunk: int | None) -> Execution:
    if chunk is None:
        return build_execution(name, work)
    return build_execution(name, work, ExecutionSpec(strategy=name, chunk=chunk))


def candidates(population_size: int, devices: list[Device]) -> list[StrategyName]:
    """The strategies that may be fastest here. Sharding beats the sequential strategy wherever there is a second core.

    On a CPU processes do what shards do, but take seconds to start. So they are tried only where shards would be
    uneven, and then instead of them: seven members on two cores learn 1.7 times as fast in two processes as one after
    the other, and the processes share one copy of the population, where each uneven shard has its own.
    """
    shares = Shares.of(population_size, len(devices))
    if devices[0].platform != "cpu":
        return ["vectorized", "sharded"] if shares.devices > 1 else ["vectorized"]
    if population_size == 1:
        return ["sequential"]
    if shares.devices == 1:
        return ["sequential", "vectorized"]
    return ["sharded", "vectorized"] if shares.are_even else ["sequential", "vectorized", "parallel"]


class _Turns:
    """Calls of one strategy, with a population and batches of its own on the device."""

    def __init__(self, execution: Execution, work: Workload, trial: Trial) -> None:
        size = work.population_size
        hyperparams = {name: np.full(size, value, np.float32) for name, value in work.hyperparams.items()}
        self._update, self._key = execution.update, np.zeros(2, np.uint32)
        self._hyperparams, self._batches = execution.place(hyperparams), execution.place_batches(trial.data)
        self._population = execution.init(self._key, self._hyperparams)

    def take(self, number: int) -> float:
        """Its seconds."""
        began = time.perf_counter()
        self._population, _ = self._update(self._population, self._hyperparams, self._batches, self._key, number)
        jax.block_until_ready(self._population)
        return time.perf_counter() - began


def measure(fitting: list[Fitting], work: Workload, trial: Trial) -> Measurement:
    """In interleaved rounds, so that a busy moment of the machine affects all alike; the best round counts. One after
    the other where the device's memory does not hold the populations of all."""
    seconds: list[float] = []
    try:
        seconds = _time_rounds(fitting, work, trial)
    except jax.errors.JaxRuntimeError as error:
        if not is_out_of_memory(error) or len(fitting) == 1:
            raise
    if not seconds:  # not while the error is at hand, which keeps what lies on the device
        seconds = [_time_rounds([each], work, trial)[0] for each in fitting]
    updates = work.population_size * trial.updates
    return {
        each.execution.strategy: Measured(1e3 * best / updates, each.chunk)
        for each, best in zip(fitting, seconds, strict=True)
    }


def _time_rounds(fitting: list[Fitting], work: Workload, trial: Trial) -> list[float]:
    """The best of each."""
    turns = [_Turns(each.execution, work, trial) for each in fitting]
    began, rounds = time.perf_counter(), list[list[float]]()
    while len(rounds) < FEWEST_ROUNDS or (len(rounds) < MOST_ROUNDS and time.perf_counter() - began < PATIENCE_SECONDS):
        rounds.append([each.take(len(rounds) + 1) for each in turns])
    return [min(seconds) for seconds in zip(*rounds, strict=True)]


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
        measured = {name: Measured(*value) for name, value in json.loads(file.read_bytes()).items()}
    except (FileNotFoundError, json.JSONDecodeError, TypeError):  # or an older one
        return None
    return measured if measured and measured.keys() <= set(names) else None


def _write_measurement(file: Path, measured: Measurement) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(measured))
    os.replace(temporary, file)
