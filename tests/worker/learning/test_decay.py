import math

import jax.numpy as jnp
import pytest

from phylon.worker.learning.decay import decay_factor, decaying_rates

EIGHTH_OF_A_TURN = 0.1 + 0.9 * (1 + math.sqrt(0.5)) / 2


@pytest.mark.parametrize(
    ("shape", "progress", "factor"),
    [
        *[("none", progress, 1.0) for progress in (0.0, 0.5, 1.0)],
        ("linear", 0.0, 1.0),
        ("linear", 0.25, 0.775),
        ("linear", 0.5, 0.55),
        ("linear", 1.0, 0.1),
        ("cosine", 0.0, 1.0),
        ("cosine", 0.25, EIGHTH_OF_A_TURN),
        ("cosine", 0.5, 0.55),
        ("cosine", 1.0, 0.1),
        ("linear", -3.0, 1.0),
        ("cosine", 7.0, 0.1),
    ],
)
def test_factors_by_hand(variant, shape, progress, factor):
    found = variant(lambda progress: decay_factor(shape, 0.1, progress))(jnp.float32(progress))
    assert float(found) == pytest.approx(factor, rel=1e-5)


def test_updates_are_counted_from_the_first_after_the_warmup():
    """A run with updates 100 to 299: at 150 a quarter of it is over."""
    schedule = decaying_rates(("learning_rate",), "linear", 0.0, range(100, 300))
    given = {"learning_rate": jnp.float32(0.4), "discount": jnp.float32(0.9)}
    for number, rate in [(100, 0.4), (150, 0.3), (200, 0.2), (299, 0.002)]:
        now, metrics = schedule(given, jnp.uint32(number))
        assert float(now["learning_rate"]) == pytest.approx(rate, rel=1e-4)
        assert metrics == {"effective_learning_rate": now["learning_rate"]}
        assert now["discount"] is given["discount"]
