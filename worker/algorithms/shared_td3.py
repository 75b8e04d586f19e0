"""TD3 of a population with a shared critic; how its policies learn, each alone or jointly, is an argument."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec import TD3Spec
from phylon.worker.algorithms import td3
from phylon.worker.algorithms.actor_critic import ActorCritic
from phylon.worker.algorithms.shared_critic import (
    Numbers,
    fields_of,
    first_members,
    fit_shared_critic,
    for_everyone,
    numbers_of,
    plain_members,
    put_first,
)
from phylon.worker.algorithms.td3 import TD3State
from phylon.worker.core.types import (
    Array,
    EnvironmentInfo,
    Hyperparams,
    Joint,
    JointAlgorithm,
    Key,
    Metrics,
    Params,
    Transition,
)
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.networks import critic_ensemble, deterministic_policy


class TD3Member(NamedTuple):
    policy: Params
    target_policy: Params
    policy_optimiser: OptimiserState
    policy_loss: Array


class TD3Critics(NamedTuple):
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState
    critic_steps: Array


class TD3Shared(NamedTuple):
    critics: TD3Critics
    told: Metrics
    """Metrics of the last policy step, shown at the steps in between. The name is kept in checkpoints."""


AXES = TD3State(
    policy=0,
    target_policy=0,
    policy_optimiser=0,
    critic=None,
    target_critic=None,
    critic_optimiser=None,  # pyright: ignore[reportArgumentType]
    critic_steps=None,  # pyright: ignore[reportArgumentType]
    policy_loss=0,  # pyright: ignore[reportArgumentType]
)
"""Which parts of a state the learners have of their own."""


class PolicySteps(NamedTuple):
    """How all learners' policies make a step."""

    step: Callable[[ActorCritic, TD3State, Numbers, Transition[Array]], tuple[TD3State, Metrics]]
    """On batches [learners, batch, ...]; the metrics are scalars."""
    metrics: tuple[str, ...] = ()
    """The names of those metrics."""


def _each_alone(
    networks: ActorCritic, state: TD3State, numbers: Numbers, batch: Transition[Array]
) -> tuple[TD3State, Metrics]:
    steps = jax.vmap(partial(td3.policy_step, networks), in_axes=(AXES, numbers.axes, 0), out_axes=AXES)
    return steps(state, numbers.values, batch), {}


EACH_ALONE = PolicySteps(_each_alone)


def shared_td3(
    spec: TD3Spec, info: EnvironmentInfo, size: int, learners: int, policies: PolicySteps = EACH_ALONE
) -> JointAlgorithm:
    networks = ActorCritic(
        policy=deterministic_policy(spec.network, info),
        critic=critic_ensemble(spec.network, info, spec.critics),
    )
    plain = td3.td3(spec, info)

    def init(keys: Key, hyperparams: Hyperparams) -> Joint:
        states, first = plain_members(plain.init, keys, hyperparams)
        shown = {name: jnp.zeros(()) for name in policies.metrics}
        return Joint(fields_of(TD3Member, states), TD3Shared(fields_of(TD3Critics, first), shown))

    def update(
        population: Joint, hyperparams: Hyperparams, batch: Transition[Array], keys: Key
    ) -> tuple[Joint, Metrics]:
        numbers, shared = numbers_of(spec, hyperparams, learners), population.shared
        state = TD3State(**first_members(population, learners)._asdict(), **shared.critics._asdict())
        targets = jax.vmap(partial(td3.critic_targets, networks), in_axes=(AXES, numbers.axes, 0, 0))(
            state, numbers.values, batch, keys
        )
        critic, optimiser, metrics = fit_shared_critic(networks.critic, state, batch, targets, numbers)
        state = state._replace(critic=critic, critic_optimiser=optimiser, critic_steps=state.critic_steps + 1)

        def move_policies(state: TD3State, _: Metrics) -> tuple[TD3State, Metrics]:
            state, shown = policies.step(networks, state, numbers, batch)
            return td3.target_step(state, numbers.values), shown

        state, shown = jax.lax.cond(
            state.critic_steps >= numbers.values["policy_delay"],
            move_policies,
            lambda state, shown: (state, shown),
            state,
            shared.told,
        )
        metrics |= {"policy_loss": state.policy_loss, **shown}
        members = put_first(population.members, fields_of(TD3Member, state))
        return Joint(members, TD3Shared(fields_of(TD3Critics, state), shown)), for_everyone(metrics, size)

    return JointAlgorithm(init, update, learners)
