"""Runs a population: strategies by name, all with the same interface and the same numbers."""

from collections.abc import Sequence
from typing import Any

import jax

from phylon.spec.experiment import ExecutionSpec
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.execution.acting import make_acting
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.execution.interface import (
    Actor,
    Device,
    Execution,
    KeyWords,
    Population,
    Report,
    Strategy,
    StrategyName,
    Workload,
    make_execution,
)
from phylon.worker.execution.joint import build_joint_execution
from phylon.worker.execution.members import checksum
from phylon.worker.execution.parallel import parallel
from phylon.worker.execution.sequential import sequential
from phylon.worker.execution.sharded import sharded
from phylon.worker.execution.vectorized import vectorized

__all__ = [
    "Actor",
    "Execution",
    "KeyWords",
    "Population",
    "Report",
    "StrategyName",
    "Workload",
    "build_execution",
    "build_joint_execution",
    "checksum",
]


DEFAULTS = ExecutionSpec()


def build_strategy(name: StrategyName, work: Workload, settings: ExecutionSpec, devices: Sequence[Device]) -> Strategy:
    match name:
        case "sequential":
            return sequential(work, devices[0])
        case "parallel":
            return parallel(work, devices[0], settings.processes)
        case "vectorized":
            return vectorized(work, devices[0], settings.chunk)
        case "sharded":
            return sharded(work, devices)


def build_execution(
    name: StrategyName, work: Workload, settings: ExecutionSpec = DEFAULTS, devices: Sequence[Device] | None = None
) -> Execution:
    """`settings`: of these the strategy reads its own options; `name` is the strategy that was chosen. `devices`: that
    it may use; without them, all that this process has."""
    strategy = build_strategy(name, work, settings, devices or jax.local_devices())
    shape, init_program = work.population_shape(), members_init_program(work)
    return make_execution(
        name,
        strategy,
        shape,
        # Through the host: splitting an array that lies on one device would compile a program for each shape. And on
        # one device: the decompositions behind orthogonal weights deadlock when two CPU devices run them at once.
        init=lambda key, hyperparams: strategy.place(jax.device_get(init_program(key, jax.device_get(hyperparams)))),
        acting=make_acting(work, shape, strategy.devices[0]),
    )


def members_init_program(work: Workload) -> Any:
    def init_members(key: Array, hyperparams: Hyperparams) -> Population:
        keys = work.keys(derive(jax.random.wrap_key_data(key), "init"))
        return jax.vmap(work.algorithm.init)(keys, hyperparams)

    return jax.jit(init_members, compiler_options=fast_compile_options())
