"""Levels, the fit and what it is worth, against numbers computed by hand and against data whose truth is known."""

import numpy as np
import pytest

from phylon.explain.importance import LEAST_SPANS, Observations, fit, importance_of, judge, spans_needed
from phylon.explain.levels import levels_of
from phylon.explain.ranks import percentiles


def observed(levels: list[np.ndarray], progress: np.ndarray, units: np.ndarray | None = None) -> Observations:
    count = len(progress)
    return Observations(levels, progress, np.ones(count), np.arange(count) if units is None else units)


class TestPercentiles:
    def test_share_of_those_below_with_oneself_half(self):
        found = percentiles(np.array([[1.0, 3.0, 2.0, np.nan], [5.0, 5.0, 5.0, 9.0]]))
        np.testing.assert_allclose(found[0, :3], [1 / 6, 5 / 6, 3 / 6])
        assert np.isnan(found[0, 3])
        np.testing.assert_allclose(found[1], [3 / 8, 3 / 8, 3 / 8, 7 / 8])

    def test_nobody_to_compare_with(self):
        assert np.isnan(percentiles(np.array([[1.0, np.nan], [np.nan, np.nan]]))).all()

    def test_minus_infinity_is_last(self):
        np.testing.assert_allclose(percentiles(np.array([[-np.inf, 0.0]])), [[0.25, 0.75]])


class TestLevels:
    def test_thirds(self):
        assert levels_of(np.arange(9.0), is_choice=False).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]

    def test_few_values_are_a_level_each(self):
        assert levels_of(np.array([0.1, 5.0, 0.1, 2.0]), is_choice=False).tolist() == [0, 2, 0, 1]

    def test_names_are_a_level_each(self):
        assert levels_of(np.array([4.0, 0.0, 2.0, 1.0, 4.0]), is_choice=True).tolist() == [3, 0, 2, 1, 3]

    def test_a_frequent_value_has_one_level(self):
        found = levels_of(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0]), is_choice=False)
        assert len(set(found[:5])) == 1 and sorted(set(found)) == list(range(found.max() + 1))


class TestJudging:
    DESIGN = np.array([[1.0, 1, 0], [1.0, 1, 0], [1.0, 0, 1], [1.0, 0, 1], [1.0, 1, 0], [1.0, 0, 1]])
    PROGRESS = np.array([0.2, 0.4, 0.6, 0.8, 0.2, 0.9])

    def test_fit(self):
        """Two spans at each level and four more that say nothing: of the distance from 0.5, 2 / (2 + 4) is left."""
        fitted = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
        np.testing.assert_allclose(fit(self.DESIGN, self.PROGRESS, fitted), [0.5, -0.2 / 3, 0.2 / 3])
        # What all count does not matter, only what they count beside each other.
        np.testing.assert_allclose(fit(self.DESIGN, self.PROGRESS, 7 * fitted), [0.5, -0.2 / 3, 0.2 / 3])

    def test_shares_of_the_spans_that_were_left_out(self):
        """Predicted are 0.4333 and 0.5667 for 0.2 and 0.9; without the steps both are 0.5, errors -0.3 and 0.4, and so
        is the mean of those fitted: the total is 0.09 + 0.16."""
        fitted, judged = np.array([1.0, 1, 1, 1, 0, 0]), np.array([0.0, 0, 0, 0, 1, 1])
        shares = judge(self.DESIGN, [slice(1, 3)], self.PROGRESS, fitted, judged)
        assert shares is not None
        error = (0.2 - 1.3 / 3) ** 2 + (0.9 - 1.7 / 3) ** 2
        np.testing.assert_allclose(shares, [1 - error / 0.25, (0.25 - error) / 0.25])

    def test_nothing_to_judge(self):
        assert judge(self.DESIGN, [slice(1, 3)], self.PROGRESS, np.ones(6), np.zeros(6)) is None


class TestImportance:
    def test_the_one_that_matters_is_found(self):
        random = np.random.default_rng(1)
        decisive, idle = random.integers(3, size=120), random.integers(3, size=120)
        # The middle is best, which a correlation would not see.
        progress = np.where(decisive == 1, 0.7, 0.4) + 0.05 * random.standard_normal(120)
        found = importance_of(observed([decisive, idle], progress), seed=0)
        assert found is not None
        first, second = found.each
        # Its variance beside that of the noise: 2/9 of 0.09 beside 0.0025.
        assert first.value == pytest.approx(0.02 / 0.0225, abs=0.05) and first.low is not None and first.low > 0.7
        assert second.low is not None and second.high is not None and second.low < 0 < second.high + 0.02
        assert abs(second.value) < 0.05 and found.explained.value == pytest.approx(first.value, abs=0.05)

    def test_chance_explains_nothing(self):
        random = np.random.default_rng(2)
        levels = [random.integers(3, size=40) for _ in range(3)]
        found = importance_of(observed(levels, random.random(40)), seed=0)
        assert found is not None and found.explained.value < 0
        assert all(each.low is not None and each.low < 0 for each in found.each)

    def test_the_same_question_has_the_same_answer(self):
        random = np.random.default_rng(3)
        data = observed([random.integers(3, size=30)], random.random(30))
        assert importance_of(data, seed=0) == importance_of(data, seed=0)

    def test_runs_that_disagree_make_it_less_sure(self):
        """In four runs high values are good, in four others bad: spans alone would be too sure of their mean."""
        random = np.random.default_rng(4)
        runs, levels = np.repeat(np.arange(8), 20), random.integers(2, size=160)
        sign = np.where(runs < 5, 1, -1)
        progress = 0.5 + 0.2 * sign * (levels - 0.5) + 0.02 * random.standard_normal(160)
        by_span, by_run = (importance_of(observed([levels], progress, units), 0) for units in (None, runs))
        assert by_span is not None and by_run is not None
        width = [each.explained.high - each.explained.low for each in (by_span, by_run)]  # type: ignore[operator]
        assert width[1] > 2 * width[0]

    def test_too_few_spans(self):
        few = observed([np.arange(LEAST_SPANS - 1) % 3], np.random.default_rng(0).random(LEAST_SPANS - 1))
        assert importance_of(few, seed=0) is None

    def test_more_values_need_more_spans(self):
        assert spans_needed([np.arange(30) % 3]) == 20
        assert spans_needed([np.arange(30) % 3] * 5) == 5 * (1 + 5 * 2)

    def test_nobody_differs(self):
        assert importance_of(observed([np.arange(30) % 3], np.full(30, 0.5)), seed=0) is None
