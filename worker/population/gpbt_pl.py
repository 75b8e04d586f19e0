"""GPBT-PL (Bai & Cheng 2024, arXiv 2404.08233): pairwise learning between a replaced member and the one it copies.

    weights   are copied, as in PBT
    a number  velocity <- inertia * u1 * velocity + attraction * u2 * (winner's - own);  own <- own + velocity
    a choice  moves to a neighbour of the winner's
    either    is drawn from its prior instead, with a probability

Numbers move in their own units, also where their prior is logarithmic, and each slot keeps its velocities.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import Choice, ExperimentSpec, tuned
from phylon.spec.evolving import CopySpec
from phylon.spec.explore import PerturbExplore
from phylon.spec.methods.gpbt_pl import GPBTPLSpec
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.explore import KEPT, build_moves, explore_members
from phylon.worker.population.hyperparams import Prior, prior
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores
from phylon.worker.population.pbt import operator_of
from phylon.worker.population.selection import build_selection

RESAMPLE, VELOCITY = 1, 2
WORDS = ("inherit", "resample", "velocity")


def gpbt_pl(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, GPBTPLSpec)
    select = build_selection(method.selection, size)
    distributions = tuned(spec.algorithm)
    moves = build_moves(spec.algorithm, PerturbExplore(name="perturb", resample=method.resample), {})
    choices = {name: moves[name] for name, value in distributions.items() if isinstance(value, Choice)}
    numbers = {name: prior(value) for name, value in distributions.items() if name not in choices}
    words = {name: choices[name].words if name in choices else WORDS for name in distributions}
    slots = np.arange(size, dtype=np.int32)

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return {name: jnp.zeros(size, jnp.float32) for name in numbers}  # velocities

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        parents = select(derive(key, "select"), scores)
        is_child = parents != slots
        winners = {name: values[parents] for name, values in hyperparams.items()}
        evolved, changes = explore_members(derive(key, "choices"), is_child, winners, choices)
        velocities = dict[str, Array]()
        for name, own_prior in numbers.items():
            keys = member_keys(derive(key, "numbers", name), size)
            value, velocity, code = jax.vmap(lambda *state, own_prior=own_prior: learn(method, own_prior, *state))(
                keys, hyperparams[name], winners[name], method_state[name]
            )
            evolved[name] = jnp.where(is_child, value, hyperparams[name])
            velocities[name] = jnp.where(is_child, velocity, method_state[name])
            changes[name] = jnp.where(is_child, code, -1).astype(jnp.int32)
        evolved = {name: evolved[name] for name in hyperparams}
        start = {name: values if name in numbers else winners[name] for name, values in hyperparams.items()}
        changes = {name: changes[name] for name in distributions}
        return Evolution(velocities, parents, evolved, changes, explored_from=start)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        births: list[Birth | None] = []
        for slot, parent in enumerate(np.asarray(evolution.parents).tolist()):
            changes = {name: words[name][int(evolution.changes[name][slot])] for name in distributions}
            births.append(None if parent == slot else Birth(operator_of(changes), changes))
        return births

    return PopulationMethod(init, evolve, describe, CopySpec(hyperparams=False))


def learn(
    method: GPBTPLSpec, own_prior: Prior, key: Key, own: Array, winner: Array, velocity: Array
) -> tuple[Array, Array, Array]:
    """A replaced member's new value of one number, its velocity, and the code of what was done."""
    coin_key, draw_key, inertia_key, attraction_key = jax.random.split(key, 4)
    is_drawn = jax.random.uniform(coin_key) < method.resample
    moved_by = next_velocity(
        method.inertia * jax.random.uniform(inertia_key),
        method.attraction * jax.random.uniform(attraction_key),
        velocity,
        winner - own,
    )
    moved = own_prior.clip(own + moved_by)
    code = jnp.where(is_drawn, RESAMPLE, jnp.where(moved == own, KEPT, VELOCITY))
    # A drawn value was not arrived at by any velocity, so none carries it on.
    return jnp.where(is_drawn, own_prior.sample(draw_key), moved), jnp.where(is_drawn, 0.0, moved_by), code


def next_velocity(inertia: Array, attraction: Array, velocity: Array, gap: Array) -> Array:
    """`gap`: how far the winner's value lies above the own one."""
    return inertia * velocity + attraction * gap
