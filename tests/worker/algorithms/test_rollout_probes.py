"""PPO learns the values that the probe environments are known to have, by choices and by numbers alike."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.policy.flattening import flatten_one
from phylon.spec import MLPSpec, hyperparameters
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.ppo import ppo_network
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Algorithm, EnvironmentInfo, Rollout, Transition
from phylon.worker.environments import describe, make_environments
from phylon.worker.execution.compilation import fast_compile_options

UPDATES, STEPS, ENVS = 40, 16, 16
SPEC = PPOSpec(
    name="ppo",
    rollout_steps=STEPS,
    epochs=4,
    minibatches=4,
    network=MLPSpec(hidden=(16, 16), activation="tanh"),
    reward_normalisation=False,
    value_clip=False,
    learning_rate=5e-3,
    entropy_coefficient=0.0,
)


class Trainer(NamedTuple):
    """An algorithm whose programs are compiled once for all probes."""

    info: EnvironmentInfo
    algorithm: Algorithm
    act: Any
    update: Any

    def train(self, name, **changed):
        """The weights after training on a probe."""
        numbers = {name: jnp.float32(value) for name, value in (hyperparameters(SPEC) | changed).items()}
        key = jax.random.key(0)
        state = jax.jit(self.algorithm.init, compiler_options=fast_compile_options())(derive(key, "init"), numbers)
        kind = "Discrete" if self.info.is_discrete else "MultiDiscrete" if self.info.action_counts else ""
        id = f"{name}{'Dict' if self.info.observation_parts else kind}-v0"
        environments = make_environments(EnvironmentSpec(suite="probe", id=id), ENVS)
        obs = environments.reset(np.arange(ENVS))
        for number in range(UPDATES):
            steps = []
            for step in range(STEPS):
                action = np.asarray(self.act(state, numbers, obs, number, step))
                # what the policy drew is remembered, and what the environment is given lies within its bounds
                result = environments.step(action if self.info.has_choices else np.clip(action, -1, 1))
                terminated, truncated = (field.astype(np.float32) for field in (result.terminated, result.truncated))
                transition = Transition(obs, action, result.reward, terminated, result.next_obs)
                steps.append(Rollout(transition, truncated))
                obs = result.obs
            rollout = jax.tree.map(lambda *fields: np.stack(fields), *steps)
            state, _ = self.update(state, numbers, rollout, derive(key, "update", number))
        return state.params

    def said(self, params, obs):
        return ppo_network(SPEC, self.info).apply(params, jnp.atleast_1d(jnp.asarray(obs, jnp.float32)))

    def assert_value(self, params, obs, expected, tolerance=0.06):
        assert float(self.said(params, obs).value) == pytest.approx(expected, abs=tolerance), f"value of obs {obs}"


@pytest.fixture(scope="module", params=["discrete", "continuous"])
def trainer(request):
    is_discrete = request.param == "discrete"
    return make_trainer(EnvironmentInfo((1,), 2 if is_discrete else 1, None, is_discrete, envs_per_member=ENVS))


def make_trainer(info):
    algorithm = build_algorithm(SPEC, info)

    @jax.jit
    def act(state, numbers, obs, number, step):
        return algorithm.act(state, numbers, obs, derive(jax.random.key(1), number, step), explore=True)

    return Trainer(info, algorithm, act, jax.jit(algorithm.update))


def test_constant_reward(trainer):
    trainer.assert_value(trainer.train("ConstantReward", discount=0.9), obs=0, expected=1)


def test_reward_by_observation(trainer):
    params = trainer.train("ObservationReward", discount=0.9)
    trainer.assert_value(params, obs=-1, expected=-1)
    trainer.assert_value(params, obs=1, expected=1)


@pytest.mark.parametrize("gae_lambda", [0.0, 0.95])
def test_delayed_reward_is_discounted(trainer, gae_lambda):
    params = trainer.train("DelayedReward", discount=0.5, gae_lambda=gae_lambda)
    trainer.assert_value(params, obs=1, expected=1)
    trainer.assert_value(params, obs=0, expected=0.5)


def test_the_policy_finds_the_rewarded_action(trainer):
    params = trainer.train("ActionReward", discount=0.9)
    for obs in (-1, 1):
        best = trainer.said(params, obs).policy.mode()
        if trainer.info.is_discrete:
            assert int(best) == (obs > 0)
            trainer.assert_value(params, obs, expected=1)
        else:
            assert float(best[0]) == pytest.approx(obs / 2, abs=0.15), f"action at obs {obs}"
            assert float(trainer.said(params, obs).policy.log_std[0]) < -0.7  # it has grown sure, from 0


@pytest.mark.parametrize("gae_lambda", [0.0, 0.95])
def test_truncation_bootstraps_and_termination_does_not(trainer, gae_lambda):
    """At obs -1 the value is 1 + 0.5 * itself."""
    params = trainer.train("Truncation", discount=0.5, gae_lambda=gae_lambda)
    trainer.assert_value(params, obs=1, expected=1)
    trainer.assert_value(params, obs=-1, expected=2, tolerance=0.1)


def test_several_choices_at_once_find_the_only_best_pair():
    trainer = make_trainer(describe("probe", "ActionRewardMultiDiscrete-v0")._replace(envs_per_member=ENVS))
    params = trainer.train("ActionReward", discount=0.9)
    for obs in (-1, 1):
        assert trainer.said(params, obs).policy.mode().tolist() == [int(obs > 0), 1], f"choices at obs {obs}"
        trainer.assert_value(params, obs, expected=1)


def test_a_composite_observation_is_learned_from():
    """The better action depends on `sign` alone, the value of an observation on `sign` and `size`."""
    info = describe("probe", "ActionRewardDict-v0")._replace(envs_per_member=ENVS)
    trainer = make_trainer(info)
    params = trainer.train("ActionReward", discount=0.9)
    for sign, size in ((-1, 1.0), (1, 1.0)):
        obs = flatten_one(info.observation_parts, {"sign": sign, "size": [size]})
        assert int(trainer.said(params, obs).policy.mode()) == (sign > 0)
