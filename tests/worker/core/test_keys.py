import jax
import pytest

from phylon.worker.core.keys import derive, member_keys


def data(key):
    return jax.random.key_data(key).tolist()


@pytest.fixture
def key():
    return jax.random.key(7)


def test_a_path_always_leads_to_the_same_key(key):
    assert data(derive(key, "explore", 3)) == data(derive(jax.random.key(7), "explore", 3))


@pytest.mark.parametrize("other", [("explore", 4), ("evolve", 3), (3, "explore"), ("explore",), ()])
def test_different_paths_lead_to_different_keys(key, other):
    assert data(derive(key, "explore", 3)) != data(derive(key, *other))


def test_words_mean_the_same_in_every_process(key):
    """The checksum of "explore" is fixed; Python's own hash of a string would change with each process."""
    assert data(derive(key, "explore")) == data(jax.random.fold_in(key, 1223399770))


def test_a_counter_may_be_traced(key):
    traced = jax.jit(lambda key, step: jax.random.key_data(derive(key, "act", step)))(key, 5)
    assert traced.tolist() == data(derive(key, "act", 5))


def test_a_slots_key_does_not_depend_on_the_population_size(key):
    assert data(member_keys(key, 8))[:3] == data(member_keys(key, 3))
    assert len({tuple(row) for row in data(member_keys(key, 8))}) == 8
