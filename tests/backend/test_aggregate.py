"""Mean, interquartile mean and their intervals against hand-computed numbers and a bootstrap written out plainly."""

import numpy as np
import pytest

from phylon.backend.comparisons.arms import are_comparable
from phylon.statistics import LARGEST_DRAW, RESAMPLES, aggregate, interquartile_mean


def test_every_experiment_weighs_the_same_in_the_mean():
    found = aggregate([np.array([10.0, 20.0]), np.array([100.0, 100.0, 100.0, 100.0])])
    assert found.mean.value == pytest.approx((15 + 100) / 2)


@pytest.mark.parametrize(
    ("pooled", "expected"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 700], 3.5),  # two of eight go at each end
        ([1, 2, 3, 4, 5, 6, 7], 4.0),  # one of seven: 2..6
        ([5], 5.0),
        ([1, 2, 9], 4.0),  # a quarter of three is less than one
    ],
)
def test_the_interquartile_mean_leaves_out_a_quarter_at_each_end(pooled: list[float], expected: float):
    assert interquartile_mean([np.array([pooled], float)])[0] == pytest.approx(expected)


def test_the_published_numbers_of_redq_are_trimmed_the_same_way():
    """25 % trimmed mean, as scipy.stats.trim_mean has it for 15 values: three go at each end."""
    values = [52, 895, 916, 429, 48, 438, 36, 471, 346, 235, 679, 742, 951, 478, 696]
    expected = sum(sorted(values)[3:-3]) / 9
    assert aggregate([np.array([value], float) for value in values]).interquartile_mean.value == pytest.approx(expected)


def test_a_single_sample_has_no_interval():
    found = aggregate([np.array([1.0, 3.0]), np.array([5.0])])
    assert (found.mean.value, found.mean.low, found.mean.high) == (3.5, None, None)
    assert found.interquartile_mean.low is None


def test_the_interval_is_that_of_draws_within_each_experiment():
    random = np.random.default_rng(1)
    experiments = [random.normal(centre, 10, size=10) for centre in (0, 500, 1000)]
    found = aggregate(experiments)
    again = np.random.default_rng(2)
    means = [np.mean([again.choice(samples, 10).mean() for samples in experiments]) for _ in range(RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    assert found.mean.low == pytest.approx(low, abs=0.5)
    assert found.mean.high == pytest.approx(high, abs=0.5)
    assert found.mean.low < found.mean.value < found.mean.high
    # Drawing experiments anew as well would make it hundreds wide.
    assert found.mean.high - found.mean.low < 20
    assert aggregate(experiments) == found, "the same numbers have the same interval"


def test_a_huge_group_is_drawn_less_often():
    samples = np.arange(LARGEST_DRAW // 200, dtype=float)
    found = aggregate([samples])
    assert found.mean.low is not None and found.mean.low < samples.mean() < found.mean.high


def test_which_returns_may_be_averaged():
    walker, fish = ("envpool", "WalkerRun-v1"), ("envpool", "FishSwim-v1")
    assert are_comparable([walker, fish])
    assert are_comparable([("gymnasium", "Pendulum-v1")] * 3)
    assert not are_comparable([walker, ("gymnasium", "Pendulum-v1")])
    assert not are_comparable([("gymnasium", "HalfCheetah-v5"), ("gymnasium", "Hopper-v5")])
