import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.population.pb2.acquisition import confidence, maximise


@pytest.mark.parametrize("best", [(0.3, 0.8, 0.55), (0.0, 1.0, 0.2)], ids=["inside", "at the edge"])
def test_the_best_point_of_the_box_is_found(best):
    target = jnp.array(best)
    # Beyond the edge it still rises, so the edge is the best legal place.
    slope = jnp.where(target == 0, -1.0, jnp.where(target == 1, 1.0, 0.0))

    def score(points):
        return -jnp.sum((points - target[None, :]) ** 2, axis=-1) + points @ slope

    found = jax.jit(lambda key: maximise(key, score, 3))(jax.random.key(0))
    assert np.all((found >= 0) & (found <= 1))
    np.testing.assert_allclose(found, best, atol=0.02)


@pytest.mark.parametrize(("observations", "expected"), [(0, 0), (2, 0), (100, 0.2 * np.log(40))])
def test_confidence_by_hand(observations, expected):
    assert confidence(jnp.float32(observations), 0.2, 0.4) == pytest.approx(np.sqrt(expected), rel=1e-5)
