"""Categories are inherited with a probability, else drawn from all of them: shares of 4 names, computed by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import Choice, parse_spec
from phylon.spec.explore import GaussianExplore, PerturbExplore, ResampleExplore, TriangularExplore
from phylon.worker.core.keys import member_keys
from phylon.worker.population import PopulationScores, build_method, explore
from phylon.worker.population.explore import Move, build_move
from phylon.worker.population.hyperparams import prior
from phylon.worker.population.pb2 import methods as pb2_methods
from phylon.worker.population.pb2.categories import drawn

NAMES = ("crop", "random-conv", "grayscale", "flip")
LISTED = Choice(choice=(0.0, 1.0, 2.0, 3.0))
MOVING = (PerturbExplore, TriangularExplore, GaussianExplore)
DONORS = 1
HALF = (0.125, 0.625, 0.125, 0.125)
"""Kept by every second child, and by one in four of those that draw: 1/2 + 1/2 x 1/4."""


def explored(way, count=6000):
    """Names and words of children whose parent has name 1."""
    move = build_move(way, prior(LISTED, has_order=False), LISTED, "augmentation")
    names, codes = jax.vmap(move.apply, in_axes=(0, None))(member_keys(jax.random.key(3), count), jnp.float32(DONORS))
    return np.asarray(names).astype(int), [move.words[code] for code in codes]


def spec_of(method, **settings):
    return parse_spec(
        {
            "environment": {"suite": "envpool", "id": "BigfishEasy-v0", "envs_per_member": 64},
            "algorithm": {"name": "drac", "augmentation": {"choice": list(NAMES)}},
            "population": {"size": 4, "method": {"name": method, "interval": 16_384, **settings}},
            "budget": 1_638_400,
        }
    )


def bred(spec, is_anything_known=True, count=4000):
    """Names and words of the last of four members, replaced by the first, whose name is 1."""
    method = build_method(spec)
    hyperparams = {"augmentation": jnp.array([DONORS, 0.0, 2.0, 3.0])}
    scores = PopulationScores(jnp.int32(0), jnp.array([4.0, 3.0, 2.0, 1.0]), jnp.zeros((4, 1)))
    state = method.init(jax.random.key(0), hyperparams)
    if is_anything_known:
        state = state._replace(start=jnp.zeros(4))
    breed = jax.jit(jax.vmap(lambda key: method.evolve(key, state, hyperparams, scores)))
    plans = jax.device_get(breed(jax.random.split(jax.random.key(1), count)))
    assert set(plans.parents[:, 3]) == {0}
    names = plans.hyperparams["augmentation"]
    np.testing.assert_array_equal(names[:, :3], np.broadcast_to([DONORS, 0, 2], (count, 3)))
    words = [births[3].changes["augmentation"] for births in map(method.describe, _each(plans))]
    return names[:, 3].astype(int), words


def _each(plans):
    return (jax.tree.map(lambda leaf, i=i: leaf[i], plans) for i in range(len(plans.parents)))


def assert_shares(names, expected):
    """The guard: also against the rule that no child ever has its parent's name by inheritance."""
    shares = np.bincount(names, minlength=len(NAMES)) / len(names)
    np.testing.assert_allclose(shares, expected, atol=0.025)


class TestPBT:
    @pytest.mark.parametrize("way", [kind(name=kind.model_fields["name"].annotation.__args__[0]) for kind in MOVING])
    def test_every_second_child_keeps_its_parents_name(self, way):
        names, words = explored(way)
        assert_shares(names, HALF)
        assert set(words) == {"inherit", "resample"}
        assert words.count("inherit") / len(words) == pytest.approx(0.5, abs=0.025)
        assert all(name == DONORS for name, word in zip(names, words, strict=True) if word == "inherit")

    @pytest.mark.parametrize(
        ("keep", "expected"), [(0.0, (0.25,) * 4), (0.8, (0.05, 0.85, 0.05, 0.05)), (1.0, (0, 1, 0, 0))]
    )
    def test_the_spec_says_how_many(self, keep, expected):
        for kind in MOVING:
            name = kind.model_fields["name"].annotation.__args__[0]
            assert_shares(explored(kind(name=name, keep_category=keep))[0], expected)

    def test_resample_inherits_nothing(self):
        names, words = explored(ResampleExplore(name="resample"))
        assert_shares(names, (0.25,) * 4)
        assert set(words) == {"resample"}

    def test_the_share_of_resampled_numbers_says_nothing_of_names(self):
        assert_shares(explored(PerturbExplore(name="perturb", resample=1.0))[0], HALF)

    def test_through_the_method(self):
        names, words = bred(spec_of("pbt"), is_anything_known=False, count=1500)
        assert_shares(names, HALF)
        assert set(words) == {"inherit", "resample"}

    def test_the_old_rule_would_be_noticed(self, monkeypatch):
        """Every child got another name than its parent's."""

        def another(prior, keep):
            del keep

            def apply(key, value):
                return (value + jax.random.randint(key, (), 1, 4)) % 4, jnp.int32(1)

            return Move(apply, ("inherit", "other"))

        monkeypatch.setattr(explore, "_inherit_or_draw", another)
        with pytest.raises(AssertionError):
            assert_shares(explored(PerturbExplore(name="perturb"))[0], HALF)


class TestPB2Rand:
    def test_every_second_child_keeps_its_parents_name(self):
        names, words = bred(spec_of("pb2_rand", window=8))
        assert_shares(names, HALF)
        assert words.count("inherit") / len(words) == pytest.approx(0.5, abs=0.03)
        assert all(name == DONORS for name, word in zip(names, words, strict=True) if word == "inherit")

    def test_the_spec_says_how_many(self):
        assert_shares(bred(spec_of("pb2_rand", window=8, keep_category=0.8))[0], (0.05, 0.85, 0.05, 0.05))

    def test_nothing_is_kept_before_anything_is_known(self):
        names, words = bred(spec_of("pb2_rand", window=8), is_anything_known=False)
        assert_shares(names, (0.25,) * 4)
        assert set(words) == {"resample"}

    def test_the_old_rule_would_be_noticed(self, monkeypatch):
        """Every category was drawn anew."""
        monkeypatch.setattr(pb2_methods, "drawn", lambda spec, keep: drawn(spec, keep=0.0))
        with pytest.raises(AssertionError):
            assert_shares(bred(spec_of("pb2_rand", window=8))[0], HALF)


def test_two_choices_are_kept_or_drawn_each_for_itself():
    move = build_move(PerturbExplore(name="perturb"), prior(LISTED, has_order=False), LISTED, "x")
    values = {name: jnp.full(4000, float(DONORS)) for name in ("one", "other")}
    _, codes = explore.explore_members(jax.random.key(0), jnp.ones(4000, bool), values, dict.fromkeys(values, move))
    both = np.mean((np.asarray(codes["one"]) == 0) & (np.asarray(codes["other"]) == 0))
    assert both == pytest.approx(0.25, abs=0.03)
