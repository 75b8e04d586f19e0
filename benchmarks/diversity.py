"""DvD on a task with many good answers, beside TD3 with the same shared critic: do five policies stay apart?

An episode is one step; the reward is 1 on a ring of actions, a little more on one side of it and less elsewhere. All
transitions are known beforehand (uniform actions), so what differs is only how policies learn.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.spec import MLPSpec, TD3Spec, hyperparameters
from phylon.spec.methods.dvd import DIVERSITY, DvDSpec
from phylon.worker.algorithms.diverse_policies import diverse_policies
from phylon.worker.algorithms.shared_td3 import EACH_ALONE, shared_td3
from phylon.worker.core.types import Array, EnvironmentInfo, Joint, Key, Transition
from phylon.worker.execution.compilation import one_thread
from phylon.worker.networks import deterministic_policy

POLICIES, UPDATES, BATCH, SEEDS = 5, 3000, 32, 3
RADIUS, TILT = 0.6, 0.2
SPEC = TD3Spec(
    name="td3", network=MLPSpec(hidden=(32, 32)), policy_learning_rate=1e-3, critic_learning_rate=1e-3, target_rate=0.02
)
METHOD = DvDSpec(name="dvd", interval=1)
INFO = EnvironmentInfo(observation_shape=(2,), action_size=2, max_episode_steps=1)


class Found(NamedTuple):
    apart: float
    """Mean distance between two policies' actions."""
    closest: float
    """The smallest one."""
    reward: float


def reward(action: Array) -> Array:
    return 1 - 4 * (jnp.linalg.norm(action, axis=-1) - RADIUS) ** 2 + TILT * action[..., 0]


def transitions(key: Key) -> Transition[Array]:
    shape, (action_key, obs_key) = (POLICIES, BATCH), jax.random.split(key)
    action = jax.random.uniform(action_key, (*shape, 2), minval=-1, maxval=1)
    obs = jax.random.normal(obs_key, (*shape, 2))
    return Transition(obs, action, reward(action), jnp.ones(shape), obs)


def train(coefficient: float) -> list[Found]:
    """One result a seed."""
    joint = shared_td3(SPEC, INFO, POLICIES, POLICIES, diverse_policies(METHOD) if coefficient else EACH_ALONE)
    numbers = {**hyperparameters(SPEC), **({DIVERSITY: coefficient} if coefficient else {})}
    hyperparams = {name: jnp.full(POLICIES, value) for name, value in numbers.items()}

    def run(key: Key) -> Array:
        def update(population: Joint, key: Key) -> tuple[Joint, None]:
            data_key, update_key = jax.random.split(key)
            keys = jax.random.split(update_key, POLICIES)
            return joint.update(population, hyperparams, transitions(data_key), keys)[0], None

        init_key, learn_key, look_key = jax.random.split(key, 3)
        population = joint.init(jax.random.split(init_key, POLICIES), hyperparams)
        population, _ = jax.lax.scan(update, population, jax.random.split(learn_key, UPDATES))
        policy, obs = deterministic_policy(SPEC.network, INFO), jax.random.normal(look_key, (256, 2))
        return jax.vmap(policy.apply, in_axes=(0, None))(population.members.policy, obs)

    program = jax.jit(jax.vmap(run), compiler_options=one_thread(jax.local_devices()[0]))
    actions = program(jax.vmap(jax.random.key)(jnp.arange(SEEDS)))  # [seeds, policies, 256, 2]
    return [found(np.asarray(of_seed), np.asarray(reward(of_seed))) for of_seed in actions]


def found(actions: NDArray[np.float32], rewards: NDArray[np.float32]) -> Found:
    distances = np.linalg.norm(actions[:, None] - actions[None], axis=-1).mean(axis=-1)
    pairs = distances[np.triu_indices(POLICIES, 1)]
    return Found(float(pairs.mean()), float(pairs.min()), float(rewards.mean()))


def rows() -> list[list[str]]:
    lines: list[list[str]] = []
    for coefficient in (0.0, 0.02, 0.2):
        name = f"DvD, coefficient {coefficient:g}" if coefficient else "TD3, shared critic"
        columns = zip(*train(coefficient), strict=True)
        lines.append([name, *(", ".join(f"{value:.2f}" for value in column) for column in columns)])
        print(lines[-1], flush=True)
    return lines
