"""What tests of the actor-critic algorithms share: a small problem, and their networks in NumPy."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import hyperparameters
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.execution.compilation import fast_compile_options

OBSERVATION, ACTION, BATCH = 3, 2, 16


@pytest.fixture(scope="session")
def info():
    return EnvironmentInfo(observation_shape=(OBSERVATION,), action_size=ACTION, max_episode_steps=None)


@pytest.fixture(scope="session")
def compiled():
    """`jax.jit` for programs that run a few times only: it compiles in half the time."""
    return functools.partial(jax.jit, compiler_options=fast_compile_options())


@pytest.fixture(scope="session")
def make_batch():
    """seed -> transitions, every other one terminated."""

    def make(seed=0):
        random = np.random.default_rng(seed)

        def normal(*shape):
            return jnp.asarray(random.normal(size=shape), jnp.float32)

        return Transition(
            obs=normal(BATCH, OBSERVATION),
            action=jnp.clip(normal(BATCH, ACTION), -1, 1),
            reward=normal(BATCH),
            terminated=jnp.asarray(np.arange(BATCH) % 2, jnp.float32),
            next_obs=normal(BATCH, OBSERVATION),
        )

    return make


@pytest.fixture(scope="session")
def numbers_of():
    """(spec, name=value, ...) -> all hyper-parameters of the spec, some of them changed."""

    def numbers(spec, **changed):
        return {name: jnp.float32(value) for name, value in (hyperparameters(spec) | changed).items()}

    return numbers


@pytest.fixture(scope="session")
def equal():
    """Whether two trees hold the same bits."""

    def same(left, right):
        return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True))

    return same


@pytest.fixture(scope="session")
def forward():
    """(params, values, head) -> the network's output in NumPy: one hidden ReLU layer and a linear one."""

    def run(params, values, head="output"):
        layers = jax.tree.map(np.asarray, params["params"])
        hidden = np.maximum(np.asarray(values) @ layers["hidden_0"]["kernel"] + layers["hidden_0"]["bias"], 0)
        return hidden @ layers[head]["kernel"] + layers[head]["bias"]

    return run


@pytest.fixture(scope="session")
def critic_values(forward):
    """(critic, obs, action) -> [critics, batch], in NumPy."""

    def run(critic, obs, action):
        inputs = np.concatenate([obs, action], axis=1)
        count = jax.tree.leaves(critic)[0].shape[0]
        return np.stack([forward(jax.tree.map(lambda leaf, n=n: leaf[n], critic), inputs)[:, 0] for n in range(count)])

    return run
