"""TD3 learns the values that the probe environments are known to have: the values themselves, not only the return."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import NetworkSpec, TD3Spec, hyperparameters
from phylon.spec.experiment import EnvironmentSpec
from worker.algorithms import build_algorithm
from worker.core.keys import derive
from worker.core.types import EnvironmentInfo, Transition
from worker.environments import make_environments
from worker.networks import critic_ensemble
from worker.replay import Replay

INFO = EnvironmentInfo(observation_shape=(1,), action_size=1, max_episode_steps=None)
SPEC = TD3Spec(
    name="td3",
    network=NetworkSpec(hidden=(32, 32)),
    policy_learning_rate=1e-3,
    critic_learning_rate=3e-3,
    target_rate=0.05,
    exploration_noise=0.4,
)
ROUNDS, STEPS, UPDATES, BATCH, ENVS = 12, 32, 150, 64, 16


@pytest.fixture(scope="module")
def algorithm():
    return build_algorithm(SPEC, INFO)


@pytest.fixture(scope="module")
def train(algorithm):
    """Collect and learn in turn; the state after training, and the hyper-parameters."""

    @jax.jit
    def learn(state, numbers, batches, key):
        def step(state, inputs):
            return algorithm.update(state, numbers, *inputs)

        return jax.lax.scan(step, state, (batches, jax.random.split(key, UPDATES)))[0]

    act = jax.jit(algorithm.act, static_argnames="explore")

    def run(id, discount):
        numbers = {name: jnp.float32(value) for name, value in hyperparameters(SPEC).items()}
        numbers["discount"] = jnp.float32(discount)
        key = jax.random.key(0)
        state = algorithm.init(derive(key, "init"), numbers)
        environments = make_environments(EnvironmentSpec(suite="probe", id=id), ENVS)
        replay = Replay(1, 100_000, INFO)
        obs = environments.reset(np.arange(ENVS))
        for number in range(ROUNDS):
            for step in range(STEPS):
                action = np.asarray(act(state, numbers, obs, derive(key, "act", number, step), explore=True))
                result = environments.step(action)
                fields = (obs, action, result.reward, result.terminated, result.next_obs)
                replay.add(Transition(*(np.asarray(field, np.float32)[None] for field in fields)))
                obs = result.obs
            batches = jax.tree.map(lambda field: field[0], replay.sample(0, number, UPDATES, BATCH))
            state = learn(state, numbers, batches, derive(key, "learn", number))
        return state

    return run


def values(state, obs, action):
    """What every critic says of one observation and action."""
    critic = critic_ensemble(SPEC.network, INFO, SPEC.critics)
    return np.asarray(critic.apply(state.critic, jnp.array([obs], jnp.float32), jnp.array([action], jnp.float32)))


def best_action(algorithm, state, obs):
    return float(algorithm.act(state, {}, jnp.array([[obs]], jnp.float32), jax.random.key(0), explore=False)[0, 0])


def assert_values(state, obs, expected, tolerance=0.06):
    for action in (-0.5, 0.0, 0.5):
        learned = values(state, obs, action)
        assert learned == pytest.approx(expected, abs=tolerance), f"value of obs {obs}, action {action}: {learned}"


def test_constant_reward(train):
    assert_values(train("ConstantReward-v0", 0.9), obs=0, expected=1)


def test_reward_by_observation(train):
    state = train("ObservationReward-v0", 0.9)
    assert_values(state, obs=-1, expected=-1)
    assert_values(state, obs=1, expected=1)


@pytest.mark.parametrize("discount", [0.5, 0.9])
def test_delayed_reward_is_discounted(train, discount):
    state = train("DelayedReward-v0", discount)
    assert_values(state, obs=1, expected=1)
    assert_values(state, obs=0, expected=discount)


def test_the_policy_finds_the_rewarded_action(train, algorithm):
    state = train("ActionReward-v0", 0.9)
    for obs in (-1, 1):
        action = best_action(algorithm, state, obs)
        assert action == pytest.approx(obs / 2, abs=0.1), f"action at obs {obs}"
        assert values(state, obs, action) == pytest.approx(1, abs=0.06)
        assert values(state, obs, 0.0) == pytest.approx(0.75, abs=0.1)


def test_truncation_bootstraps_and_termination_does_not(train):
    state = train("Truncation-v0", 0.5)
    assert_values(state, obs=1, expected=1)
    assert_values(state, obs=-1, expected=2, tolerance=0.1)
