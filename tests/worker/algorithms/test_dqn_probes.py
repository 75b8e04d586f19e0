"""DQN learns the values that the probe environments are known to have."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, hyperparameters
from phylon.spec.algorithms.dqn import DQNSpec
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Algorithm, EnvironmentInfo, Transition
from phylon.worker.environments import make_environments
from phylon.worker.networks import action_values
from phylon.worker.replay import Replay

INFO = EnvironmentInfo((1,), 2, None, is_discrete=True)
ROUNDS, STEPS, UPDATES, BATCH, ENVS = 8, 16, 100, 64, 16
NUMBERS = {"learning_rate": 3e-3, "epsilon_decay": 400, "final_epsilon": 0.1}
HARD, SOFT = {"target_period": 20, "target_rate": 1.0}, {"target_period": 1, "target_rate": 0.05}
SPECS = {
    "plain, hard target": DQNSpec(name="dqn", network=MLPSpec(hidden=(32,)), **NUMBERS, **HARD),
    "dueling and double, soft target": DQNSpec(
        name="dqn", network=MLPSpec(hidden=(32,)), dueling=True, double=True, **NUMBERS, **SOFT
    ),
}


class Trainer(NamedTuple):
    """An algorithm whose programs are compiled once for all probes."""

    spec: DQNSpec
    algorithm: Algorithm
    act: Any
    learn: Any

    def train(self, id, discount):
        """Collect and learn in turn; the state after training."""
        numbers = {name: jnp.float32(value) for name, value in hyperparameters(self.spec).items()}
        numbers["discount"] = jnp.float32(discount)
        key = jax.random.key(0)
        state = self.algorithm.init(derive(key, "init"), numbers)
        environments = make_environments(EnvironmentSpec(suite="probe", id=id), ENVS)
        replay = Replay(1, 100_000, INFO)
        obs = environments.reset(np.arange(ENVS))
        for number in range(ROUNDS):
            for step in range(STEPS):
                action = np.asarray(self.act(state, numbers, obs, number, step))
                result = environments.step(action)
                terminated = result.terminated.astype(np.float32)
                fields = (obs, action, result.reward, terminated, result.next_obs)
                replay.add(Transition(*(field[None] for field in fields)))
                obs = result.obs
            batches = jax.tree.map(lambda field: field[0], replay.sample(0, number, UPDATES, BATCH))
            state = self.learn(state, numbers, batches, derive(key, "learn", number))
        return state

    def assert_values(self, state, obs, expected, tolerance=0.06):
        network = action_values(self.spec.network, INFO, self.spec.dueling)
        found = np.asarray(network.apply(state.critic, jnp.array([obs], jnp.float32)))
        assert found.tolist() == pytest.approx(expected, abs=tolerance), f"values of obs {obs}"


@pytest.fixture(scope="module", params=SPECS)
def trainer(request):
    spec = SPECS[request.param]
    algorithm = build_algorithm(spec, INFO)

    @jax.jit
    def learn(state, numbers, batches, key):
        def step(state, inputs):
            return algorithm.update(state, numbers, *inputs)

        return jax.lax.scan(step, state, (batches, jax.random.split(key, UPDATES)))[0]

    @jax.jit
    def act(state, numbers, obs, number, step):
        return algorithm.act(state, numbers, obs, derive(jax.random.key(1), number, step), explore=True)

    return Trainer(spec, algorithm, act, learn)


def test_constant_reward(trainer):
    trainer.assert_values(trainer.train("ConstantRewardDiscrete-v0", 0.9), obs=0, expected=[1, 1])


def test_reward_by_observation(trainer):
    state = trainer.train("ObservationRewardDiscrete-v0", 0.9)
    trainer.assert_values(state, obs=-1, expected=[-1, -1])
    trainer.assert_values(state, obs=1, expected=[1, 1])


@pytest.mark.parametrize("discount", [0.5, 0.9])
def test_delayed_reward_is_discounted(trainer, discount):
    state = trainer.train("DelayedRewardDiscrete-v0", discount)
    trainer.assert_values(state, obs=1, expected=[1, 1])
    trainer.assert_values(state, obs=0, expected=[discount, discount])


def test_the_rewarded_action_is_found(trainer):
    """Action 0 stands for -1/2, action 1 for +1/2: one is worth 1, the other 0."""
    state = trainer.train("ActionRewardDiscrete-v0", 0.9)
    trainer.assert_values(state, obs=-1, expected=[1, 0])
    trainer.assert_values(state, obs=1, expected=[0, 1])
    obs = jnp.array([[-1.0], [1.0]])
    assert trainer.algorithm.act(state, {}, obs, jax.random.key(0), explore=False).tolist() == [0, 1]


def test_truncation_bootstraps_and_termination_does_not(trainer):
    state = trainer.train("TruncationDiscrete-v0", 0.5)
    trainer.assert_values(state, obs=1, expected=[1, 1])
    trainer.assert_values(state, obs=-1, expected=[2, 2], tolerance=0.1)
