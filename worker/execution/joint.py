"""Runs a population that learns as one (`JointAlgorithm`): all updates of a segment in one program on one device.

The members' own parts act, are gathered and are hashed; what they share only learns.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive, member_keys, update_keys
from phylon.worker.core.types import Array, Hyperparams, Joint, JointAlgorithm, Metrics, Transition
from phylon.worker.execution.acting import make_acting
from phylon.worker.execution.compilation import compile_options, fast_compile_options
from phylon.worker.execution.interface import Device, Execution, KeyWords, Report, Strategy, Workload, make_execution
from phylon.worker.execution.members import take_members


def build_joint_execution(work: Workload, algorithm: JointAlgorithm, members: range | None = None) -> Execution:
    """`members`: those that act here, if not all; all learn."""
    device = jax.local_devices()[0]
    program, init_program = joint_program(work, algorithm, device), joint_init_program(work, algorithm)

    def update(
        population: Joint, hyperparams: Hyperparams, batches: Transition[Array], key: KeyWords, first: int
    ) -> tuple[Joint, Report]:
        return program(population, hyperparams, batches, key, np.uint32(first))

    strategy = Strategy(
        devices=(device,),
        place=lambda tree: jax.device_put(tree, device),
        update=update,
        gather=jax.jit(
            lambda population, parents: population._replace(members=take_members(population.members, parents))
        ),
    )
    shape = jax.eval_shape(init_program, jax.ShapeDtypeStruct((2,), jnp.uint32), work.hyperparams_shape())
    return make_execution(
        "vectorized",
        strategy,
        shape,
        init=lambda key, hyperparams: jax.device_put(init_program(key, jax.device_get(hyperparams)), device),
        acting=make_acting(work, shape, device, members),
    )


def joint_init_program(work: Workload, algorithm: JointAlgorithm) -> Any:
    def init_population(key: Array, hyperparams: Hyperparams) -> Joint:
        keys = member_keys(derive(jax.random.wrap_key_data(key), "init"), work.population_size)
        return algorithm.init(keys, hyperparams)

    return jax.jit(init_population, compiler_options=fast_compile_options())


def joint_program(work: Workload, algorithm: JointAlgorithm, device: Device) -> Any:
    def run(
        population: Joint, hyperparams: Hyperparams, batches: Transition[Array], key: Array, first: Array
    ) -> tuple[Joint, Report]:
        def step(population: Joint, inputs: tuple[Transition[Array], Array, Array]) -> tuple[Joint, Metrics]:
            batch, words, number = inputs
            now, scheduled = work.algorithm.schedule(hyperparams, number)
            population, metrics = algorithm.update(population, now, batch, jax.random.wrap_key_data(words))
            return population, metrics | scheduled

        updates = batches.reward.shape[1]
        keys = member_keys(derive(jax.random.wrap_key_data(key), "update"), algorithm.learners)
        words = jax.vmap(lambda own: update_keys(own, first, updates))(keys)
        by_update = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), (batches, words))
        numbers = first + jnp.arange(updates, dtype=jnp.uint32)
        population, metrics = jax.lax.scan(step, population, (*by_update, numbers))
        return population, Report({name: jnp.mean(values, axis=0) for name, values in metrics.items()}, hyperparams)

    return jax.jit(run, donate_argnums=0, compiler_options=compile_options(device))
