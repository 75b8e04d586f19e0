"""Actor-critic algorithms learn the values that the probe environments are known to have: values, not only returns.

SAC's values count the entropy to come too. Where actions do not matter, the best policy is uniform over [-1, 1] with an
entropy of log 2; so every step that is bootstrapped adds discount * temperature * log 2.
"""

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import DDPGSpec, MLPSpec, SACSpec, TD3Spec, hyperparameters
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.keys import derive
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.environments import make_environments
from phylon.worker.networks import critic_ensemble
from phylon.worker.replay import Replay

INFO = EnvironmentInfo(observation_shape=(1,), action_size=1, max_episode_steps=None)
ROUNDS, STEPS, UPDATES, BATCH, ENVS = 12, 32, 150, 64, 16

FAST = {
    "network": MLPSpec(hidden=(32, 32)),
    "policy_learning_rate": 1e-3,
    "critic_learning_rate": 3e-3,
    "target_rate": 0.05,
}
TEMPERATURE = 0.5
SPECS = {
    "td3": TD3Spec(name="td3", exploration_noise=0.4, **FAST),
    "sac": SACSpec(name="sac", temperature="fixed", initial_temperature=TEMPERATURE, **FAST),
    "ddpg": DDPGSpec(name="ddpg", exploration_noise=0.4, **FAST),
}
ADAPTIVE = SACSpec(name="sac", initial_temperature=0.1, temperature_learning_rate=0.01, **FAST)


class Trainer(NamedTuple):
    """An algorithm whose programs are compiled once for all probes."""

    spec: Any
    init: Any
    act: Any
    learn: Any

    def train(self, id, **numbers):
        """Collect and learn in turn; the state after training."""
        numbers = {name: jnp.float32(value) for name, value in (hyperparameters(self.spec) | numbers).items()}
        key = jax.random.key(0)
        state = self.init(derive(key, "init"), numbers)
        environments = make_environments(EnvironmentSpec(suite="probe", id=id), ENVS)
        replay = Replay(1, 100_000, INFO)
        obs = environments.reset(np.arange(ENVS))
        for number in range(ROUNDS):
            for step in range(STEPS):
                action = np.asarray(self.act(state, numbers, obs, derive(key, "act", number, step), explore=True))
                result = environments.step(action)
                fields = (obs, action, result.reward, result.terminated, result.next_obs)
                replay.add(Transition(*(np.asarray(field, np.float32)[None] for field in fields)))
                obs = result.obs
            batches = jax.tree.map(lambda field: field[0], replay.sample(0, number, UPDATES, BATCH))
            state, metrics = self.learn(state, numbers, batches, derive(key, "learn", number))
        return state, jax.tree.map(lambda values: float(jnp.mean(values)), metrics)

    def values(self, state, obs, action):
        """What every critic says of one observation and action."""
        critic = critic_ensemble(self.spec.network, INFO, jax.tree.leaves(state.critic)[0].shape[0])
        return np.asarray(critic.apply(state.critic, jnp.array([obs], jnp.float32), jnp.array([action], jnp.float32)))

    def assert_values(self, state, obs, expected, tolerance=0.06):
        for action in (-0.5, 0.0, 0.5):
            learned = self.values(state, obs, action)
            assert learned == pytest.approx(expected, abs=tolerance), f"value of obs {obs}, action {action}: {learned}"

    def best_action(self, state, obs):
        obs = jnp.array([[obs]], jnp.float32)
        return float(self.act(state, {}, obs, jax.random.key(0), explore=False)[0, 0])


@functools.cache
def trainer_of(spec):
    algorithm = build_algorithm(spec, INFO)

    @jax.jit
    def learn(state, numbers, batches, key):
        def step(state, inputs):
            return algorithm.update(state, numbers, *inputs)

        return jax.lax.scan(step, state, (batches, jax.random.split(key, UPDATES)))

    return Trainer(spec, jax.jit(algorithm.init), jax.jit(algorithm.act, static_argnames="explore"), learn)


@pytest.fixture(scope="module", params=SPECS)
def trainer(request):
    return trainer_of(SPECS[request.param])


@pytest.fixture(scope="module")
def entropy_bonus(trainer):
    """What the entropy of one step to come is worth."""
    return TEMPERATURE * math.log(2) if trainer.spec.name == "sac" else 0.0


def test_constant_reward(trainer):
    state, _ = trainer.train("ConstantReward-v0", discount=0.9)
    trainer.assert_values(state, obs=0, expected=1)


def test_reward_by_observation(trainer):
    state, _ = trainer.train("ObservationReward-v0", discount=0.9)
    trainer.assert_values(state, obs=-1, expected=-1)
    trainer.assert_values(state, obs=1, expected=1)


@pytest.mark.parametrize("discount", [0.5, 0.9])
def test_delayed_reward_is_discounted(trainer, entropy_bonus, discount):
    """Once, not twice: a squared discount would miss by far."""
    state, _ = trainer.train("DelayedReward-v0", discount=discount)
    trainer.assert_values(state, obs=1, expected=1)
    trainer.assert_values(state, obs=0, expected=discount * (1 + entropy_bonus))


def test_the_policy_finds_the_rewarded_action(trainer):
    state, _ = trainer.train("ActionReward-v0", discount=0.9, **cool(trainer))
    for obs in (-1, 1):
        action = trainer.best_action(state, obs)
        assert action == pytest.approx(obs / 2, abs=0.1), f"action at obs {obs}"
        assert trainer.values(state, obs, action) == pytest.approx(1, abs=0.06)
        assert trainer.values(state, obs, 0.0) == pytest.approx(0.75, abs=0.1)


def cool(trainer):
    """Hardly any entropy, so that the best action is the rewarded one."""
    return {"initial_temperature": 0.02} if trainer.spec.name == "sac" else {}


def test_truncation_bootstraps_and_termination_does_not(trainer, entropy_bonus):
    """At obs -1 the value is 1 + 0.5 * (itself and the entropy to come)."""
    state, _ = trainer.train("Truncation-v0", discount=0.5)
    trainer.assert_values(state, obs=1, expected=1)
    trainer.assert_values(state, obs=-1, expected=(1 + 0.5 * entropy_bonus) / 0.5, tolerance=0.1)


def test_rewards_are_scaled():
    trainer = trainer_of(SPECS["sac"])
    state, _ = trainer.train("ObservationReward-v0", reward_scale=2.0)
    trainer.assert_values(state, obs=1, expected=2, tolerance=0.1)


def test_an_adaptive_temperature_brings_the_entropy_to_its_target():
    """-1 for the one dimension: log(s * sqrt(2 pi e)) for a normal distribution of deviation s.

    The best soft policy is exp(reward / temperature), normal with the variance temperature / 2. So both are known.
    """
    _, metrics = trainer_of(ADAPTIVE).train("ActionReward-v0", discount=0.9)
    assert metrics["entropy"] == pytest.approx(-1, abs=0.1)
    variance = math.exp(-2) / (2 * math.pi * math.e)
    assert metrics["temperature"] == pytest.approx(2 * variance, rel=0.3)
