"""The compiled programs that run between segments. Their keys follow from the run's key and the step."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.algorithms.resets import reset
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.execution import Population
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.population import Evolution, Standing, ranks
from phylon.worker.training.assembly import Parts


class Programs(NamedTuple):
    """Compiled when first called; those of features that the spec does not use never are."""

    plan_evolution: Callable[..., tuple[Evolution[Array], Array]]
    """(key, method state, hyper-parameters, standing) -> the method's plan, and the members' ranks [P]."""
    breed: Callable[..., tuple[Any, Population]]
    """(key, search state, population, standing) -> the next search state and population of a weight search."""
    centre: Callable[..., Population]
    """(search state, population) -> a population in which every slot holds the search's mean."""
    reset_members: Callable[..., Population]
    """(key, step, hyper-parameters, population) -> the population with the parts of `resets` drawn again."""
    copy_population: Callable[[Population], Population]


def make_programs(parts: Parts) -> Programs:
    method, resets, work = parts.method, parts.spec.resets, parts.work

    def plan_evolution(
        key: Array, method_state: Any, hyperparams: Hyperparams, standing: Standing[Array]
    ) -> tuple[Evolution[Array], Array]:
        evolve_key = derive(jax.random.wrap_key_data(key), "evolve", standing.step)
        return method.evolve(evolve_key, method_state, hyperparams, standing), ranks(standing.fitness)

    def breed(
        key: Array, search_state: Any, population: Population, standing: Standing[Array]
    ) -> tuple[Any, Population]:
        assert method.search is not None
        breed_key = derive(jax.random.wrap_key_data(key), "breed", standing.step)
        return method.search.breed(breed_key, search_state, population, standing)

    def centre(search_state: Any, population: Population) -> Population:
        assert method.search is not None
        return method.search.centre(search_state, population)

    def reset_members(key: Array, step: Array, hyperparams: Hyperparams, population: Population) -> Population:
        assert resets is not None
        keys = member_keys(derive(jax.random.wrap_key_data(key), "reset", step), work.population_size)
        return jax.vmap(partial(reset, work.algorithm, resets))(keys, hyperparams, population)

    compile_fast = partial(jax.jit, compiler_options=fast_compile_options())
    return Programs(
        plan_evolution=compile_fast(plan_evolution),
        breed=compile_fast(breed),
        centre=compile_fast(centre),
        reset_members=compile_fast(reset_members),
        copy_population=jax.jit(partial(jax.tree.map, jnp.copy)),
    )
