"""What TD3 and SAC of a population with one critic ensemble have in common. They are put together from the plain steps:

    every critic:   one Adam step on the batches of all learners at once; the target of a transition in learner i's
                    batch is made with learner i's policy
    every learner:  its own policy step on its own batch, by the shared critic

Numbers of the critic (`SharedCritic.numbers`) are the same for all members, so the first one's are taken. With a
population of one this is the plain algorithm, number by number.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.methods.dvd import DIVERSITY
from phylon.spec.registered import describe_algorithm
from phylon.worker.algorithms.actor_critic import fit_critic
from phylon.worker.core.types import Array, Hyperparams, Joint, Key, Metrics, Params, State, Transition
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.networks import Network


class Numbers(NamedTuple):
    """Hyper-parameters of the learners: [learners], or a scalar where all have the same."""

    values: Hyperparams
    axes: dict[str, int | None]
    """For `vmap`."""


def numbers_of(spec: AlgorithmSpec, hyperparams: Hyperparams, learners: int) -> Numbers:
    critic = describe_algorithm(spec).shared_critic
    assert critic is not None
    shared = (*critic.numbers, DIVERSITY)
    return Numbers(
        {name: values[0] if name in shared else values[:learners] for name, values in hyperparams.items()},
        {name: None if name in shared else 0 for name in hyperparams},
    )


def plain_members(
    init: Callable[[Key, Hyperparams], State], keys: Key, hyperparams: Hyperparams
) -> tuple[State, State]:
    """A population of the plain algorithm, [P], and its first member, whose critic becomes everybody's."""
    states = jax.vmap(init)(keys, hyperparams)
    return states, jax.tree.map(lambda leaf: leaf[0], states)


def fields_of(kind: Any, state: Any) -> Any:
    """Those fields of a state that the NamedTuple `kind` has, as one of that kind."""
    return kind(*(getattr(state, field) for field in kind._fields))


def first_members(population: Joint, count: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[:count], population.members)


def put_first(members: State, learned: State) -> State:
    """The members, of whom the first ones have learned."""
    return jax.tree.map(lambda everyone, first: everyone.at[: len(first)].set(first), members, learned)


def fit_shared_critic(
    critic: Network, state: Any, batch: Transition[Array], targets: Array, numbers: Numbers
) -> tuple[Params, OptimiserState, Metrics]:
    """One step of the critics towards targets [learners, batch]: all transitions count alike."""
    together = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
    rate = numbers.values["critic_learning_rate"]
    return fit_critic(critic, state.critic, state.critic_optimiser, together, targets.reshape(-1), rate)


def for_everyone(metrics: Metrics, size: int) -> Metrics:
    """[P] each: what is reported of the critic is everybody's; a learner's own is NaN for those who do not learn."""
    return {
        name: jnp.full(size, value)
        if value.ndim == 0
        else jnp.full(size, jnp.nan, value.dtype).at[: len(value)].set(value)
        for name, value in metrics.items()
    }
