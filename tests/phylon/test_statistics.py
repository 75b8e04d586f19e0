"""Statistics against hand-computed numbers, and against what rliable 1.2.0 gave for the same scores."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from phylon import statistics
from phylon.statistics import estimate, estimate_band, estimate_pair

RLIABLE = json.loads((Path(__file__).parent / "rliable_reference.json").read_text())
NAN = math.nan


def value(statistic, *tasks):
    return statistic([np.array([scores], float) for scores in tasks])[0].tolist()


def tasks_of(name):
    """rliable has [replicates, tasks]."""
    return list(np.array(RLIABLE[name]).T)


def test_one_number_of_many_by_hand():
    iqm = statistics.interquartile_mean
    assert value(iqm, [0, 1, 2, 3, 100]) == 2.0
    assert value(iqm, [0, 1, 2, 3, 4, 100]) == 2.5
    assert value(iqm, [1, 2, 9]) == 4.0, "a quarter of three is less than one"
    assert value(iqm, [0, 1, 2, 3, NAN, 100]) == 2.0, "who has no value is not counted"
    assert math.isnan(value(iqm, [1, 2], [NAN, NAN])), "a task without any value"
    assert value(statistics.mean, [1, 3], [10, 10, 10]) == 6.0
    assert value(statistics.median, [1, 3], [10, 10, 13], [0]) == 2.0, "of the tasks' means"
    assert value(statistics.median, [1, 30, 4]) == 4.0 and value(statistics.median, [1, 30, 4, NAN, 6]) == 5.0
    assert value(statistics.optimality_gap(1.0), [0.5, 3.0], [1.0]) == 0.125
    scores = [np.array([1.0, 2.0]), np.array([0.0, 3.0])]
    profile = statistics.performance_profile(scores, np.array([0.0, 1.0, 2.0]), seed=1)
    assert profile.value.tolist() == [0.75, 0.5, 0.25], "strictly above"
    curve = np.array([[[1.0, NAN, NAN], [3.0, 5.0, NAN]]])
    assert statistics.mean([curve])[0].tolist()[:2] == [2.0, 5.0]
    assert np.isnan(statistics.median([curve])[0, 2])


def test_one_against_another_by_hand():
    x, y = [[1, 2, 1, 2], [2, 2, 1, 1]], [[1, 2, 3], [1, 2, 3]]  # rliable's own test, by task
    arms = [[np.array([scores], float) for scores in arm] for arm in (x, y)]
    assert statistics.probability_of_improvement(*arms)[0] == pytest.approx(1 / 3)
    same = [np.array([[4.0, 5.0]])]
    assert statistics.probability_of_improvement(same, same)[0] == 0.5
    first, second = [np.array([10.0, 14.0])], [np.array([8.0, 8.0])]
    # (1.96 + 0.84)² · 8 / 5² = 2.51
    assert statistics.replicates_needed(first, second, 5.0) == 3
    assert statistics.replicates_needed(first, second, 0.5) == 252
    assert statistics.replicates_needed(first, second, 0.0) is None
    assert statistics.replicates_needed(first, [np.array([8.0])], 5.0) is None, "no spread is known of one"


def test_reaching_a_return_where_some_never_do():
    steps = np.array([10.0, 20.0, 30.0])
    assert statistics.first_reached(steps, np.array([1.0, NAN, 5.0]), 5.0) == 30
    assert statistics.first_reached(steps, np.array([1.0, 2.0, 3.0]), 5.0) == math.inf
    found = statistics.summarise_reached([10, 20, math.inf], seed=1)
    assert found[:3] == (2, 3, 20.0) and found.low == 10 and found.high is None
    half = statistics.summarise_reached([10, 20, math.inf, math.inf], seed=1)
    assert (half.reached, half.median) == (2, None), "the median lies beyond what was seen"
    assert statistics.summarise_reached([7.0], seed=1) == (1, 1, 7.0, None, None)
    assert statistics.summarise_reached([], seed=1) == (0, 0, None, None, None)


def test_agrees_with_rliable():
    measures = (
        statistics.mean,
        statistics.median,
        statistics.interquartile_mean,
        statistics.optimality_gap(600.0),
    )
    for arm in ("a", "b"):
        for number, statistic in enumerate(measures):
            found = estimate(tasks_of(arm), statistic, seed=3)
            low, high = (bound[number] for bound in RLIABLE["intervals"][arm])
            assert found.value == pytest.approx(RLIABLE["points"][arm][number])
            noise = 0.05 * (high - low)  # 2,000 draws against 50,000
            assert (found.low, found.high) == (pytest.approx(low, abs=noise), pytest.approx(high, abs=noise))
    a, b = tasks_of("a"), tasks_of("b")
    found = estimate_pair(a, b, statistics.probability_of_improvement, seed=3)
    assert found == pytest.approx(RLIABLE["poi"], abs=0.012)
    points, (lows, highs) = RLIABLE["difference"]
    for number, statistic in enumerate((statistics.mean, statistics.interquartile_mean)):
        found = estimate_pair(a, b, statistics.difference(statistic), seed=3)
        assert found.value == pytest.approx(points[number])
        noise = 0.05 * (highs[number] - lows[number])
        assert found[1:] == (pytest.approx(lows[number], abs=noise), pytest.approx(highs[number], abs=noise))
    profile = statistics.performance_profile(a, np.array([200.0, 400.0, 600.0, 800.0]), seed=3)
    shares, (lows, highs) = RLIABLE["profile"]
    assert profile.value == pytest.approx(shares)
    assert profile.low == pytest.approx(lows, abs=0.035) and profile.high == pytest.approx(highs, abs=0.035)


def test_replicates_are_drawn_whole_in_time():
    """Curves that are only shifted against each other: any draw keeps their shape, so the gain from the first point to
    the last has no spread at all. Draws of their own at each point would give it some."""
    shifts = np.array([0.0, 10.0, 20.0, 30.0])
    curves = shifts[:, np.newaxis] + np.array([1.0, 2.0, 5.0])
    gains = estimate_band([curves], lambda tasks: statistics.mean([s[..., 2:] - s[..., :1] for s in tasks]), seed=1)
    assert gains.low[0] == gains.high[0] == gains.value[0] == 4.0
    band = estimate_band([curves], statistics.mean, seed=1)
    assert band.value.tolist() == [16.0, 17.0, 20.0] and band.replicates.tolist() == [4, 4, 4]
    assert np.allclose(band.high - band.low, band.high[0] - band.low[0]) and band.low[0] < 16 < band.high[0]
    again = estimate_band([curves], statistics.mean, seed=1)
    assert again.low.tolist() == band.low.tolist(), "the same seed, the same interval"


def test_a_point_of_one_replicate_has_no_interval():
    curves = np.array([[1.0, 2.0, 3.0], [3.0, NAN, 5.0], [5.0, NAN, NAN]])
    band = estimate_band([curves], statistics.mean, seed=2)
    assert band.value.tolist() == [3.0, 2.0, 4.0] and band.replicates.tolist() == [3, 1, 2]
    assert np.isnan(band.low).tolist() == [False, True, False]
    assert band.low[2] == 3.0 and band.high[2] == 5.0, "draws without anyone who came so far are passed over"
    assert estimate([np.array([1.0, 3.0]), np.array([5.0])], statistics.mean, 1) == (3.5, None, None)


def test_the_seed_follows_from_the_question():
    asked = ("experiment", 3, "mean")
    assert statistics.seed_of(*asked) == statistics.seed_of(*asked) != statistics.seed_of("experiment", 4, "mean")
