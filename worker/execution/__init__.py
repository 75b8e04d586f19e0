"""Runs a population: strategies by name, all with the same interface and the same numbers."""

import jax
import numpy as np

from phylon.spec.experiment import ExecutionSpec
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.execution.acting import make_acting, make_actor, make_exploration_keys
from phylon.worker.execution.compilation import seldom_run
from phylon.worker.execution.interface import (
    Actor,
    Execution,
    KeyWords,
    Population,
    Report,
    Strategy,
    StrategyName,
    Workload,
)
from phylon.worker.execution.joint import build_joint_execution
from phylon.worker.execution.members import member_checksum
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
]


DEFAULTS = ExecutionSpec()


def build_strategy(name: StrategyName, work: Workload, settings: ExecutionSpec) -> Strategy:
    match name:
        case "sequential":
            return sequential(work)
        case "parallel":
            return parallel(work, settings.processes)
        case "vectorized":
            return vectorized(work, settings.chunk)
        case "sharded":
            return sharded(work)


def build_execution(name: StrategyName, work: Workload, settings: ExecutionSpec = DEFAULTS) -> Execution:
    """`settings`: what the strategy reads of them; the name is the one that was chosen."""
    strategy = build_strategy(name, work, settings)

    def init_members(key: Array, hyperparams: Hyperparams) -> Population:
        keys = member_keys(derive(jax.random.wrap_key_data(key), "init"), work.population_size)
        return jax.vmap(work.algorithm.init)(keys, hyperparams)

    init_program = jax.jit(init_members, compiler_options=seldom_run())
    checksum_program = jax.jit(jax.vmap(member_checksum))
    acting = make_acting(work, work.population_shape())

    return Execution(
        strategy=name,
        devices=strategy.devices,
        learners=work.population_size,
        shape=work.population_shape,
        place=strategy.place,
        # By way of the host: splitting an array that lies on one device would compile a program for each shape. And
        # on one device: the decompositions behind orthogonal weights never end when two CPU devices run them at once.
        init=lambda key, hyperparams: strategy.place(jax.device_get(init_program(key, jax.device_get(hyperparams)))),
        acting=acting,
        actor=make_actor(acting, strategy.devices[0]),
        exploration_keys=make_exploration_keys(work),
        update=strategy.update,
        gather=strategy.gather,
        checksum=lambda population: np.asarray(checksum_program(population)),
        detail=strategy.detail,
        close=strategy.close,
    )
