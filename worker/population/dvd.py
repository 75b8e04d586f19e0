"""DvD (Parker-Holder et al. 2020, arXiv 2002.00632), the part that decides how much diversity counts.

Nobody is copied. The coefficient, one for all members, follows a schedule or is chosen by Thompson sampling: each arm
has a Beta(1 + wins, 1 + losses) belief, and the arm with the largest draw is used for the next interval. What the
coefficient does is in `worker.algorithms.diverse_policies`.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec
from phylon.spec.methods.dvd import DIVERSITY, BanditCoefficient, DvDSpec, ScheduledCoefficient
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores


class BanditState(NamedTuple):
    wins: Array
    """[arms]"""
    losses: Array
    arm: Array
    """The one in use."""
    best: Array
    """The best fitness when it was chosen; NaN at first, when there is nothing to compare with."""


def dvd(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, DvDSpec)
    coefficient = method.coefficient

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return first_state(len(coefficient.arms)) if isinstance(coefficient, BanditCoefficient) else ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        if isinstance(coefficient, BanditCoefficient):
            method_state = choose(key, method_state, best_of(scores.fitness))
            value = jnp.asarray(coefficient.arms, jnp.float32)[method_state.arm]
            means = (method_state.wins + 1) / (method_state.wins + method_state.losses + 2)
            beliefs = {f"arm_{arm:g}": means[place] for place, arm in enumerate(coefficient.arms)}
        else:
            value, beliefs = coefficient_at(coefficient, scores.step), {}
        reasons = {"coefficient": value, "coefficient_before": hyperparams[DIVERSITY][0], **beliefs}
        return Evolution(
            method_state,
            parents=jnp.arange(size, dtype=jnp.int32),
            hyperparams=hyperparams | {DIVERSITY: jnp.full(size, value)},
            changes={},
            reasons={name: jnp.full(size, reason) for name, reason in reasons.items()},
        )

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        reasons = evolution.reasons
        assert reasons is not None
        has_changed = np.asarray(reasons["coefficient"]) != np.asarray(reasons["coefficient_before"])
        word = "bandit" if isinstance(coefficient, BanditCoefficient) else "schedule"
        return [Birth("schedule", {DIVERSITY: word}) if changed else None for changed in has_changed]

    first = coefficient.arms[0] if isinstance(coefficient, BanditCoefficient) else coefficient.values[0].value
    return PopulationMethod(init, evolve, describe, hyperparams={DIVERSITY: first}, reported=("log_determinant",))


def coefficient_at(coefficient: ScheduledCoefficient, step: Array) -> Array:
    """The value in force from this step of the members on."""
    steps = jnp.asarray([entry.step for entry in coefficient.values], jnp.int32)
    values = jnp.asarray([entry.value for entry in coefficient.values], jnp.float32)
    return values[jnp.sum(steps <= step) - 1]


def first_state(arms: int) -> BanditState:
    return BanditState(jnp.zeros(arms), jnp.zeros(arms), jnp.int32(0), jnp.float32(jnp.nan))


def choose(key: Key, state: BanditState, best: Array) -> BanditState:
    """The arm in use wins or loses by what became of the best fitness; then an arm is drawn for the next interval."""
    is_known = ~jnp.isnan(state.best)
    has_won = best > state.best
    wins = state.wins.at[state.arm].add(jnp.where(is_known & has_won, 1.0, 0.0))
    losses = state.losses.at[state.arm].add(jnp.where(is_known & ~has_won, 1.0, 0.0))
    belief = jax.random.beta(key, wins + 1, losses + 1)
    return BanditState(wins, losses, jnp.argmax(belief).astype(jnp.int32), best)


def best_of(fitness: Array) -> Array:
    """A member without fitness does not count; if nobody has one, the lowest there is."""
    return jnp.max(jnp.where(jnp.isnan(fitness), -jnp.inf, fitness))
