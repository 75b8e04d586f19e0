"""SAC of a population with a shared critic. The temperature stays each member's own."""

from functools import partial
from typing import NamedTuple

import jax

from phylon.spec import SACSpec
from phylon.worker.algorithms import sac
from phylon.worker.algorithms.sac import SACState
from phylon.worker.algorithms.shared_critic import (
    fields_of,
    first_members,
    fit_shared_critic,
    for_everyone,
    numbers_of,
    plain_members,
    put_first,
)
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
from phylon.worker.networks import critic_ensemble, tanh_normal_policy


class SACMember(NamedTuple):
    policy: Params
    policy_optimiser: OptimiserState
    log_temperature: Params
    temperature_optimiser: Params


class SACShared(NamedTuple):
    critic: Params
    target_critic: Params
    critic_optimiser: OptimiserState


AXES = SACState(
    policy=0,
    policy_optimiser=0,
    critic=None,
    target_critic=None,
    critic_optimiser=None,  # pyright: ignore[reportArgumentType]
    log_temperature=0,
    temperature_optimiser=0,
)
"""Which parts of a state the learners have of their own."""


def shared_sac(spec: SACSpec, info: EnvironmentInfo, size: int, learners: int) -> JointAlgorithm:
    networks = sac.SACNetworks(
        policy=tanh_normal_policy(spec.network, info),
        critic=critic_ensemble(spec.network, info, spec.critics),
    )
    plain, is_adaptive = sac.sac(spec, info), spec.temperature == "adaptive"

    def init(keys: Key, hyperparams: Hyperparams) -> Joint:
        states, first = plain_members(plain.init, keys, hyperparams)
        return Joint(fields_of(SACMember, states), fields_of(SACShared, first))

    def update(
        population: Joint, hyperparams: Hyperparams, batch: Transition[Array], keys: Key
    ) -> tuple[Joint, Metrics]:
        numbers = numbers_of(spec, hyperparams, learners)
        both_keys = jax.vmap(jax.random.split)(keys)  # [learners, 2]
        state = SACState(**first_members(population, learners)._asdict(), **population.shared._asdict())
        temperature = jax.vmap(sac.current_temperature, in_axes=(AXES, numbers.axes))(state, numbers.values)
        targets = jax.vmap(partial(sac.critic_targets, networks), in_axes=(AXES, numbers.axes, 0, 0))(
            state, numbers.values, batch, both_keys[:, 0]
        )
        critic, optimiser, metrics = fit_shared_critic(networks.critic, state, batch, targets, numbers)
        state = sac.target_step(state._replace(critic=critic, critic_optimiser=optimiser), numbers.values)
        policy_steps = jax.vmap(
            partial(sac.policy_step, networks), in_axes=(AXES, numbers.axes, 0, 0), out_axes=(AXES, 0)
        )
        state, policy_metrics = policy_steps(state, numbers.values, batch, both_keys[:, 1])
        if is_adaptive:
            temperature_steps = jax.vmap(
                partial(sac.temperature_step, action_size=info.action_size),
                in_axes=(AXES, numbers.axes, 0),
                out_axes=AXES,
            )
            state = temperature_steps(state, numbers.values, policy_metrics["entropy"])
        metrics |= policy_metrics | {"temperature": temperature}
        members = put_first(population.members, fields_of(SACMember, state))
        return Joint(members, fields_of(SACShared, state)), for_everyone(metrics, size)

    return JointAlgorithm(init, update, learners)
