import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.methods.bg_pbt import TrustRegionSpec
from phylon.worker.population.trust_region import region as regions
from phylon.worker.population.trust_region.region import adapt, box_around, fresh

SPEC = TrustRegionSpec(patience=1000)
NOBODY = np.zeros(4, bool)
FIRST = np.array([True, False, False, False])
LEADS, TRAILS = np.array([3.0, 2, 1, 0], np.float32), np.array([0.0, 1, 2, 3], np.float32)


def live(rounds, spec=SPEC, region=None):
    """`rounds`: pairs of fitness and of who was suggested."""
    region = fresh(spec) if region is None else region
    again = []
    for fitness, is_suggested in rounds:
        region, is_again = adapt(spec, region, jnp.asarray(fitness), jnp.asarray(is_suggested))
        again.append(bool(is_again))
    return region, again


class TestSide:
    def test_three_successes_in_a_row_make_it_larger(self):
        assert live([(LEADS, FIRST)] * 2)[0].side == pytest.approx(0.4)
        assert live([(LEADS, FIRST)] * 3)[0].side == pytest.approx(0.6)
        broken = [(LEADS, FIRST)] * 2 + [(TRAILS, FIRST)] + [(LEADS, FIRST)] * 2
        assert live(broken)[0].side == pytest.approx(0.4)

    def test_it_never_leaves_its_limits(self):
        assert live([(LEADS, FIRST)] * 30)[0].side == 1.0

    def test_ten_failures_in_a_row_make_it_smaller(self):
        region, again = live([(TRAILS, FIRST)] * 9)
        assert (region.side, any(again)) == (pytest.approx(0.4), False)
        assert live([(TRAILS, FIRST)] * 10)[0].side == pytest.approx(0.4 / 1.5)

    def test_a_tie_with_the_best_is_a_success(self):
        assert live([(np.ones(4, np.float32), FIRST)])[0].successes == 1

    def test_a_round_without_suggestions_counts_for_nothing(self):
        region, _ = live([(LEADS, FIRST)] * 2)
        region, _ = live([(LEADS, NOBODY)] * 20, region=region)
        assert (region.successes, region.failures) == (2, 0)

    def test_one_who_has_no_fitness_is_no_success(self):
        nan = np.array([np.nan, 1, 2, 3], np.float32)
        assert live([(nan, FIRST)])[0].failures == 1


class TestStartingAgain:
    def test_at_the_smallest_side(self):
        """0.4 / 1.5^2 is 0.178, and one more is below 0.15: after 30 failures."""
        region, again = live([(TRAILS, FIRST)] * 30)
        assert again == [False] * 29 + [True]
        assert (region.side, region.failures) == (pytest.approx(0.4), 0)

    def test_after_rounds_without_a_new_best(self):
        spec = TrustRegionSpec(patience=15)
        region, again = live([(LEADS, NOBODY)] * 16, spec)  # the first one is a new best
        assert again == [False] * 15 + [True]
        assert (region.rounds_without_best, region.best) == (0, 3)
        rising = [(LEADS + number, NOBODY) for number in range(40)]
        assert not any(live(rising, spec)[1])

    def test_a_population_without_fitness_waits(self):
        region, _ = live([(np.full(4, np.nan, np.float32), NOBODY)] * 3)
        assert region.best == -np.inf and region.rounds_without_best == 3


def assert_shrinks_where_survivors_lead():
    """Slot 3 was suggested long ago, lives on and leads; what is suggested now never does."""
    assert live([(TRAILS, FIRST)] * 10)[0].side < 0.4


def test_success_is_that_of_new_suggestions():
    assert_shrinks_where_survivors_lead()


def test_the_guard_notices_a_region_that_always_succeeds(monkeypatch):
    """IPBT's and PBT-Zoo's code calls every member's values suggested, so the region only grows."""
    theirs = regions.adapt
    monkeypatch.setitem(
        globals(), "adapt", lambda spec, region, fitness, _: theirs(spec, region, fitness, jnp.ones(4, bool))
    )
    with pytest.raises(AssertionError):
        assert_shrinks_where_survivors_lead()


class TestBox:
    CENTRE = jnp.array([0.5, 0.5])
    CATEGORIES = jnp.array([0, 1, 2])

    def box(self, region=None, centre=CENTRE, length_scales=(0.5, 0.5)):
        region = fresh(SPEC) if region is None else region
        return box_around(region, centre, self.CATEGORIES, jnp.asarray(length_scales, jnp.float32))

    def test_by_hand(self):
        box = self.box()
        np.testing.assert_allclose(box.low, 0.3, atol=1e-6)
        np.testing.assert_allclose(box.high, 0.7, atol=1e-6)

    def test_it_is_longer_where_less_depends_on_it_and_as_large(self):
        box = self.box(length_scales=(0.2, 0.8))  # geometric mean 0.4: half and twice as long
        np.testing.assert_allclose(box.high - box.low, [0.2, 0.8], rtol=1e-5)

    def test_it_ends_at_the_bounds(self):
        box = self.box(centre=jnp.array([0.05, 1.0]))
        np.testing.assert_allclose(box.low, [0.0, 0.8], atol=1e-6)
        np.testing.assert_allclose(box.high, [0.25, 1.0], atol=1e-6)

    def test_fewer_categories_may_differ_in_a_smaller_region(self):
        assert self.box().most_changes == 3
        assert self.box(fresh(SPEC)._replace(category_side=jnp.float32(0.6))).most_changes == 2
        assert self.box(fresh(SPEC)._replace(category_side=jnp.float32(0.1))).most_changes == 1
