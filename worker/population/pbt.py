"""Population Based Training, synchronous (Jaderberg et al. 2017, arXiv 1711.09846).

    order the members by fitness
    each of the worst copies one of the best, drawn uniformly        (select)
    each copy multiplies every inherited hyper-parameter by a factor,
        or now and then draws it afresh from its prior               (explore)

When to evolve (interval, burn-in) is the training loop's business.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import Choice, ExperimentSpec, PBTSpec, PerturbExplore, ResampleExplore, tuned
from phylon.spec.selection import donors, replaced_members
from worker.core.keys import derive, member_keys
from worker.core.types import Array, Hyperparams, Key
from worker.population.hyperparams import Prior, priors
from worker.population.method import Evolution, MethodState, PopulationMethod

# Codes of what was done to a hyper-parameter; from FACTOR on they count the factors of the spec.
KEEP, INHERIT, RESAMPLE, FACTOR = range(4)


def pbt(spec: ExperimentSpec) -> PopulationMethod:
    size, method = spec.population.size, spec.population.method
    assert isinstance(method, PBTSpec)
    replaced, best = replaced_members(size, method.selection), donors(size, method.selection)
    moves = priors(spec.algorithm)
    match method.explore:
        case PerturbExplore(factors=factors, resample=resample):
            pass
        case ResampleExplore():
            factors, resample = (1.0,), 1.0

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return ()

    def evolve(key: Key, method_state: MethodState, hyperparams: Hyperparams, fitness: Array) -> Evolution:
        parents = select(derive(key, "select"), fitness, replaced, best)
        evolved, changes = explore(derive(key, "explore"), parents, hyperparams, moves, factors, resample)
        return Evolution(method_state, parents, evolved, changes)

    def describe(evolution: Evolution) -> list[dict[str, str]]:
        words = {
            name: ["", "inherit", "resample", *(_factor_word(f, isinstance(distribution, Choice)) for f in factors)]
            for name, distribution in tuned(spec.algorithm).items()
        }
        codes = {name: np.asarray(code) for name, code in evolution.changes.items()}
        parents = np.asarray(evolution.parents)
        return [
            {} if parent == slot else {name: words[name][codes[name][slot]] for name in words}
            for slot, parent in enumerate(parents)
        ]

    return PopulationMethod(init, evolve, describe)


def select(key: Key, fitness: Array, replaced: int, donors: int) -> Array:
    """Truncation: each of the `replaced` worst is given a parent drawn uniformly from the `donors` best. int32 [P]."""
    order = best_first(fitness)
    chosen = jax.random.choice(key, order[:donors], (replaced,))
    return jnp.arange(len(fitness), dtype=jnp.int32).at[order[-replaced:]].set(chosen)


def explore(
    key: Key,
    parents: Array,
    hyperparams: Hyperparams,
    priors: Mapping[str, Prior],
    factors: tuple[float, ...],
    resample: float,
) -> tuple[Hyperparams, dict[str, Array]]:
    """Inherit along `parents`, then move each tuned value of each child by a draw of its own.

    Gives the new values and the codes of what was done, [P] each.
    """
    slots = jnp.arange(len(parents), dtype=jnp.int32)
    is_child = parents != slots
    inherited = {name: values[parents] for name, values in hyperparams.items()}
    explored, changes = dict(inherited), {}
    for name, prior in priors.items():

        def move(key: Key, value: Array, prior: Prior = prior) -> tuple[Array, Array]:
            coin_key, factor_key, draw_key = jax.random.split(key, 3)
            chosen = jax.random.randint(factor_key, (), 0, len(factors), jnp.int32)
            perturbed = prior.perturb(value, jnp.asarray(factors, jnp.float32)[chosen])
            is_drawn = jax.random.uniform(coin_key) < resample
            code = jnp.where(perturbed == value, INHERIT, FACTOR + chosen)
            return jnp.where(is_drawn, prior.sample(draw_key), perturbed), jnp.where(is_drawn, RESAMPLE, code)

        moved, codes = jax.vmap(move)(member_keys(derive(key, name), len(parents)), inherited[name])
        explored[name] = jnp.where(is_child, moved, inherited[name])
        changes[name] = jnp.where(is_child, codes, KEEP).astype(jnp.int32)
    return explored, changes


def best_first(fitness: Array) -> Array:
    """Slots from the best to the worst, int32 [P]. NaN is worse than minus infinity; of equals the lower slot wins."""
    is_missing = jnp.isnan(fitness)
    slots = jnp.arange(len(fitness), dtype=jnp.int32)
    return jnp.lexsort((slots, -jnp.where(is_missing, 0, fitness), is_missing)).astype(jnp.int32)


def _factor_word(factor: float, is_choice: bool) -> str:
    if is_choice:
        return "next" if factor > 1 else "previous"
    return f"x{factor:g}"
