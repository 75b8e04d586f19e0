"""Chunks of a vectorized population: the same members with the same numbers, however many at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.core.types import Algorithm, EnvironmentInfo, Transition
from phylon.worker.execution import Workload
from phylon.worker.execution.vectorized import vectorized

SIZE = 5


def update(state, hyperparams, batch, key):
    """Something that everything has a part in."""
    step = hyperparams["rate"] * jnp.mean(batch.reward) + jax.random.normal(key)
    return state + step, {"step": step}


WORK = Workload(
    lambda: Algorithm(lambda key, hyperparams: jnp.zeros(3), lambda *_: jnp.zeros(1), update),
    EnvironmentInfo((1,), 1, None),
    SIZE,
    {"rate": 1.0},
)


def train(chunk):
    random = np.random.default_rng(0)
    reward = random.random((SIZE, 4, 2), np.float32)
    population = jnp.asarray(random.random((SIZE, 3), np.float32))
    hyperparams = {"rate": np.arange(SIZE, dtype=np.float32)}
    strategy = vectorized(WORK, jax.local_devices()[0], chunk)
    batches = Transition(reward, reward, reward, reward, reward)
    return strategy.detail, *strategy.update(population, hyperparams, batches, np.zeros(2, np.uint32), 3)


@pytest.mark.parametrize(
    ("chunk", "detail"),
    [
        (2, "in chunks of 2"),  # and one that is left
        (4, "in chunks of 3"),  # rather than 4 and 1
        (9, ""),
    ],
)
def test_chunks_change_nothing(chunk, detail):
    _, expected, reported = train(None)
    found = train(chunk)
    assert found[0] == detail
    jax.tree.map(lambda new, old: np.testing.assert_allclose(new, old, rtol=1e-6), found[1:], (expected, reported))
