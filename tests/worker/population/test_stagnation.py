"""When a population is said to stand still."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.population.stagnation import CAPACITY, empty_series, extend, is_stagnant, smoothed, standardised

step = jax.jit(extend, compiler_options={"xla_backend_optimization_level": 0})
judge = jax.jit(is_stagnant, static_argnums=1, compiler_options={"xla_backend_optimization_level": 0})


def follow(values, patience=3):
    """The series after all values, and how many it took to stand still (None: it never did)."""
    series, when = empty_series(), None
    for number, value in enumerate(values):
        series = step(jax.random.key(number), series, jnp.float32(value))
        if when is None and judge(series, patience):
            when = number + 1
    return series, when


def test_a_steady_rise_is_progress():
    series, when = follow(np.linspace(0, 100, 14))
    assert (when, int(series.fails), int(series.count)) == (None, 0, 14)


def test_three_points_in_a_row_that_fall():
    _, when = follow([0, 10, 20, 30, 25, 18, 10])
    assert when is not None and 6 <= when <= 7
    assert follow([0, 10, 20, 30, 25, 18, 10], patience=100)[1] is None


def test_one_bad_point_of_a_rise_is_smoothed_away():
    values = np.linspace(0, 100, 12)
    values[6] -= 12
    assert follow(values)[1] is None


def test_all_alike_stands_still():
    assert follow([5.0] * 6)[1] == 4  # the first has none to be compared with


def test_hardly_any_gain_over_fifteen_points():
    """Each point is a little better, so none of them fails; but the last 14 brought less than one deviation."""
    jump = np.concatenate([[0.0], 100 + 0.01 * np.arange(30)])
    _, when = follow(jump, patience=10**6)
    assert when == 16  # 14 recent ones, and before them the jump
    assert follow(np.linspace(0, 1, 30), patience=10**6)[1] is None


def test_a_point_without_a_value_is_left_out():
    series = step(jax.random.key(0), empty_series(), jnp.float32(np.nan))
    assert (int(series.count), int(series.fails)) == (0, 0)
    assert np.all(np.isfinite(series.values))


def test_the_oldest_points_make_room():
    full = empty_series()._replace(values=jnp.arange(CAPACITY, dtype=jnp.float32), count=jnp.int32(CAPACITY))
    series = step(jax.random.key(0), full, jnp.float32(500))
    assert int(series.count) == CAPACITY
    assert (float(series.values[0]), float(series.values[-1])) == (1.0, 500.0)


def test_smoothing_by_hand():
    values = jnp.zeros(CAPACITY).at[:4].set(jnp.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(standardised(values, 4)[:4], np.array([-1.5, -0.5, 0.5, 1.5]) / np.sqrt(1.25), rtol=1e-5)
    smooth = np.asarray(jax.jit(smoothed)(jax.random.key(0), values, jnp.int32(4)))[:4]
    assert np.all(np.diff(smooth) > 0)
    assert smooth[-1] == pytest.approx(1.34, abs=0.35)
