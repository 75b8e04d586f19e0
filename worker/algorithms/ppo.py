"""Proximal Policy Optimisation (Schulman et al. 2017, arXiv 1707.06347), with the details of its authors' code.

    for each rollout [steps, envs], gathered by the policy as it is:
        rewards are divided by the running deviation of the discounted return
        advantages by GAE; an episode that was cut, or goes on after the rollout, is bootstrapped, a terminated one not
        `epochs` times, in `minibatches` parts drawn afresh each time:
            one Adam step, the gradient's length limited to `max_gradient_norm`, on
                the clipped surrogate + value_coefficient * value loss - entropy_coefficient * entropy

What the policy and the values said when the rollout was gathered is computed again at the start of the update, from the
same weights. A continuous policy is a normal distribution without bounds. `act` gives its samples as they are, because
the update needs the density of the very number that was drawn; it is the environments that clip to [-1, 1]. Without
exploration `act` gives the mean, clipped.

Metrics, means over all gradient steps: `policy_loss`, `critic_loss`, `value`, `entropy`, `kl` (how far the policy moved
from the one that gathered the rollout), `clipped_share` (of ratios beyond the clip), `gradient_norm` (unlimited).
"""

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from phylon.spec.algorithms.drac import DrACSpec
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Algorithm, Array, EnvironmentInfo, Hyperparams, Key, Metrics, Params, Rollout
from phylon.worker.learning import (
    adam_init,
    adam_step,
    clip_by_global_norm,
    clipped_surrogate_loss,
    clipped_value_loss,
    generalised_advantages,
    normalised,
    value_loss,
)
from phylon.worker.learning.optimiser import OptimiserState
from phylon.worker.learning.reward_scale import Moments, RewardScale, cut_returns, reward_scale_init, scale_rewards
from phylon.worker.networks import Network, PolicyAndValue, policy_and_value

ADAM_EPSILON = 1e-5

PPONetwork = Network[PolicyAndValue]


class PPOState(NamedTuple):
    params: Params
    optimiser: OptimiserState
    reward_scale: RewardScale | None
    """None where rewards are taken as they are."""
    observations: Moments | None = None
    """Running statistics of what the member saw, where observations are normalised."""


class Learner(NamedTuple):
    """What a gradient step changes."""

    params: Params
    optimiser: OptimiserState


class Experience(NamedTuple):
    """What gradient steps work with, flat: [steps * envs, ...] or a minibatch of it."""

    obs: Array
    action: Array
    log_prob: Array
    """As of the policy that acted."""
    value: Array
    """As it was then."""
    advantage: Array
    target: Array
    """What the value should be."""


class PenaltyFn(Protocol):
    """A further term of the loss on a minibatch; `said` is what the network says of its observations. With metrics."""

    def __call__(
        self, params: Params, hyperparams: Hyperparams, obs: Array, said: PolicyAndValue, key: Key
    ) -> tuple[Array, Metrics]: ...


def ppo(spec: PPOSpec, info: EnvironmentInfo) -> Algorithm:
    return proximal(spec, info, ppo_network(spec, info), no_penalty)


def ppo_network(spec: PPOSpec | DrACSpec, info: EnvironmentInfo) -> PPONetwork:
    return policy_and_value(spec.network, info, spec.torsos == "shared")


def no_penalty(
    params: Params, hyperparams: Hyperparams, obs: Array, said: PolicyAndValue, key: Key
) -> tuple[Array, Metrics]:
    return jnp.zeros(()), {}


def proximal(spec: PPOSpec | DrACSpec, info: EnvironmentInfo, network: PPONetwork, penalty: PenaltyFn) -> Algorithm:
    def init(key: Key, hyperparams: Hyperparams) -> PPOState:
        del hyperparams  # no weight of PPO starts from one
        params = network.init(key)
        scale = reward_scale_init(info.envs_per_member) if spec.reward_normalisation else None
        return PPOState(params, adam_init(params), scale)

    def act(state: PPOState, hyperparams: Hyperparams, obs: Array, key: Key, explore: bool) -> Array:
        del hyperparams
        policy = network.apply(state.params, obs).policy
        if explore:
            return policy.sample(key)
        return policy.mode() if info.has_choices else jnp.clip(policy.mode(), -1, 1)

    def update(state: PPOState, hyperparams: Hyperparams, batch: Rollout[Array], key: Key) -> tuple[PPOState, Metrics]:
        require_shape(spec, info, batch)
        rollout, scale = with_scaled_rewards(state.reward_scale, hyperparams, batch)
        experience = judged(network, state.params, hyperparams, rollout, spec.minibatches)
        if spec.advantage_normalisation == "rollout":
            experience = experience._replace(advantage=normalised(experience.advantage))

        def gradient_step(learner: Learner, inputs: tuple[Array, Array]) -> tuple[Learner, Metrics]:
            number, rows = inputs
            minibatch = jax.tree.map(lambda field: field[rows], experience)
            gradients, metrics = jax.grad(minibatch_loss, has_aux=True)(
                learner.params, spec, network, penalty, hyperparams, minibatch, derive(key, "minibatch", number)
            )
            gradients, norm = clip_by_global_norm(gradients, hyperparams["max_gradient_norm"])
            moved = adam_step(learner.params, gradients, learner.optimiser, hyperparams["learning_rate"], ADAM_EPSILON)
            return Learner(*moved), metrics | {"gradient_norm": norm}

        rows = shuffled(derive(key, "shuffle"), experience.value.size, spec.epochs, spec.minibatches)
        learner, metrics = jax.lax.scan(
            gradient_step, Learner(state.params, state.optimiser), (jnp.arange(len(rows)), rows)
        )
        return PPOState(*learner, scale, state.observations), jax.tree.map(jnp.mean, metrics)

    return Algorithm(init, act, update, cut_episodes=cut_episodes if spec.reward_normalisation else None)


def cut_episodes(state: PPOState) -> PPOState:
    assert state.reward_scale is not None
    return state._replace(reward_scale=cut_returns(state.reward_scale))


def with_scaled_rewards(
    scale: RewardScale | None, hyperparams: Hyperparams, rollout: Rollout[Array]
) -> tuple[Rollout[Array], RewardScale | None]:
    if scale is None:
        return rollout, None
    transitions = rollout.transitions
    rewards, scale = scale_rewards(scale, transitions.reward, ended(rollout), hyperparams["discount"])
    return rollout._replace(transitions=transitions._replace(reward=rewards)), scale


def ended(rollout: Rollout[Array]) -> Array:
    """1 where an episode has its last step, one way or the other."""
    return jnp.maximum(rollout.transitions.terminated, rollout.truncated)


def judged(
    network: PPONetwork, params: Params, hyperparams: Hyperparams, rollout: Rollout[Array], parts: int
) -> Experience:
    """The rollout [steps, envs, ...] with what the weights that gathered it say of it, flat.

    The network looks at one of `parts` equal shares at a time, which is what gradient steps need memory for, too.
    """
    transitions = rollout.transitions
    shape = transitions.reward.shape

    def look(inputs: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        obs, action, next_obs = inputs
        said = network.apply(params, obs)
        return said.policy.log_prob(action), said.value, network.apply(params, next_obs).value

    flat = jax.tree.map(lambda field: field.reshape(-1, *field.shape[2:]), transitions)
    shares = jax.tree.map(
        lambda field: field.reshape(parts, -1, *field.shape[1:]), (flat.obs, flat.action, flat.next_obs)
    )
    log_prob, value, next_value = (field.reshape(shape) for field in jax.lax.map(look, shares))
    advantage = jax.vmap(generalised_advantages, in_axes=(1, 1, 1, 1, 1, None), out_axes=1)(
        transitions.reward,
        value,
        next_value,
        hyperparams["discount"] * (1 - transitions.terminated),
        1 - ended(rollout),
        hyperparams["gae_lambda"],
    )
    judgement = (field.reshape(-1) for field in (log_prob, value, advantage, advantage + value))
    return Experience(flat.obs, flat.action, *judgement)


def shuffled(key: Key, count: int, epochs: int, minibatches: int) -> Array:
    """Rows of the experience for each gradient step, [epochs * minibatches, rows]; an epoch has every row once."""
    orders = jax.vmap(lambda key: jax.random.permutation(key, count))(member_keys(key, epochs))
    return orders.reshape(epochs * minibatches, -1)


def minibatch_loss(
    params: Params,
    spec: PPOSpec | DrACSpec,
    network: PPONetwork,
    penalty: PenaltyFn,
    hyperparams: Hyperparams,
    batch: Experience,
    key: Key,
) -> tuple[Array, Metrics]:
    said = network.apply(params, batch.obs)
    log_prob, clip = said.policy.log_prob(batch.action), hyperparams["clip"]
    advantage = normalised(batch.advantage) if spec.advantage_normalisation == "minibatch" else batch.advantage
    policy_loss = jnp.mean(clipped_surrogate_loss(log_prob, batch.log_prob, advantage, clip))
    if spec.value_clip:
        critic_loss = jnp.mean(clipped_value_loss(said.value, batch.value, batch.target, clip))
    else:
        critic_loss = jnp.mean(value_loss(said.value, batch.target))
    entropy = jnp.mean(said.policy.entropy())
    extra, extra_metrics = penalty(params, hyperparams, batch.obs, said, key)
    total = (
        policy_loss
        + hyperparams["value_coefficient"] * critic_loss
        - hyperparams["entropy_coefficient"] * entropy
        + extra
    )
    change = log_prob - batch.log_prob
    metrics = {
        "policy_loss": policy_loss,
        "critic_loss": critic_loss,
        "value": jnp.mean(said.value),
        "entropy": entropy,
        "kl": jnp.mean(jnp.expm1(change) - change),
        "clipped_share": jnp.mean(jnp.abs(jnp.expm1(change)) > clip),
    }
    return total, metrics | extra_metrics


def require_shape(spec: PPOSpec | DrACSpec, info: EnvironmentInfo, rollout: Rollout[Array]) -> None:
    steps, envs = rollout.transitions.reward.shape
    if (steps, envs) != (spec.rollout_steps, info.envs_per_member):
        raise EngineError(
            f"a rollout of {steps} steps in {envs} environments came to an algorithm that was built for "
            f"{spec.rollout_steps} steps in {info.envs_per_member}",
            "gather rollouts of algorithm.rollout_steps in environment.envs_per_member environments",
        )
    if steps * envs % spec.minibatches:
        raise EngineError(
            f"{steps * envs} steps cannot be shared out among {spec.minibatches} minibatches",
            "choose algorithm.minibatches so that it divides rollout_steps times envs_per_member",
        )
