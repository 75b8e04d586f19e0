import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.population.trust_region.region import Box
from phylon.worker.population.trust_region.search import draw_categories, maximise

ARMS = (4, 3)
CENTRE = jnp.array([1, 2])


def box(low=(0.2, 0.2), high=(0.6, 0.6), most_changes=2):
    return Box(jnp.array(low), jnp.array(high), CENTRE, jnp.int32(most_changes))


def find(score, box, arms=ARMS, seed=0):
    search = jax.jit(
        lambda key: maximise(key, score, box, arms), compiler_options={"xla_backend_optimization_level": 0}
    )
    return [np.asarray(value) for value in search(jax.random.key(seed))]


def hill(top, best):
    """Highest at `top` with the categories `best`."""

    def score(points, categories):
        distance = jnp.sum((points - jnp.asarray(top)[None, :]) ** 2, axis=-1)
        return jnp.sum(categories == jnp.asarray(best)[None, :], axis=-1) - 4 * distance

    return score


def test_the_top_inside_is_found_with_its_categories():
    numbers, categories = find(hill((0.35, 0.5), (3, 0)), box())
    np.testing.assert_allclose(numbers, [0.35, 0.5], atol=0.01)
    assert categories.tolist() == [3, 0]


def test_of_a_top_outside_the_nearest_place_of_the_box():
    numbers, _ = find(hill((0.9, 0.1), (3, 0)), box())
    np.testing.assert_allclose(numbers, [0.6, 0.2], atol=0.005)


def test_no_more_categories_change_than_may():
    _, categories = find(hill((0.4, 0.4), (3, 0)), box(most_changes=1))
    assert np.sum(categories != CENTRE) == 1
    _, categories = find(hill((0.4, 0.4), (3, 0)), box(most_changes=0))
    assert categories.tolist() == CENTRE.tolist()


def test_numbers_alone_and_categories_alone():
    numbers, categories = find(
        lambda points, categories: -jnp.sum((points - 0.3) ** 2, axis=-1),
        box()._replace(categories=jnp.zeros(0, jnp.int32)),
        (),
    )
    np.testing.assert_allclose(numbers, 0.3, atol=0.01)
    assert categories.shape == (0,)
    nothing = jnp.zeros(0)
    numbers, categories = find(
        lambda points, categories: jnp.sum(categories == jnp.array([[2, 1]]), axis=-1) + 0 * jnp.sum(points, axis=-1),
        box()._replace(low=nothing, high=nothing),
    )
    assert (numbers.shape, categories.tolist()) == ((0,), [2, 1])


def test_drawn_categories_are_even():
    drawn = np.asarray(draw_categories(jax.random.key(0), box(), ARMS, 6000))
    assert drawn.min() >= 0 and np.all(drawn.max(axis=0) < ARMS)
    changes = np.sum(drawn != np.asarray(CENTRE), axis=1)
    np.testing.assert_allclose(np.bincount(changes) / 6000, 1 / 3, atol=0.03)
    others = drawn[drawn[:, 0] != 1, 0]
    np.testing.assert_allclose(np.bincount(others, minlength=4)[[0, 2, 3]] / len(others), 1 / 3, atol=0.03)
