"""Outcomes of spans, selection noise, and the whole explanation, on lineages made by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.contract.explanations import BoundSide, DrawnUnit
from phylon.explain.explanation import ExplainedRun, donors_of, explain
from phylon.explain.outcomes import outcomes_of
from phylon.explain.selection_noise import ahead_again, chosen_again, donor_noise
from phylon.spec import parse_spec


@pytest.fixture
def copied(make_lineage, make_series):
    """Of three members, slot 2 copies slot 0 at step 1000; evaluations at 1000, 2000 and 3000."""
    lineage = make_lineage(3, [(1000, 2, 0)], end_step=3000)
    returns = make_series([1000, 2000, 3000], [[10, 8, 2], [14, 9, 16], [15, 19, 17]])
    return lineage, returns


class TestOutcomes:
    def test_by_hand(self, copied):
        first, second, replaced, child = outcomes_of(*copied)
        # Improvements: at 1000 all from nothing (10, 8, 2); at 2000 by 4, 1 and, from the donor's 10, 6; at 3000 by
        # 1, 10, 1, where two tie for the last place.
        assert first.progress == pytest.approx((5 / 6 + 3 / 6 + 2 / 6) / 3)
        assert second.progress == pytest.approx((3 / 6 + 1 / 6 + 5 / 6) / 3)
        assert replaced.progress == pytest.approx(1 / 6)
        assert child.progress == pytest.approx((5 / 6 + 2 / 6) / 2)
        assert child.standing == pytest.approx((5 / 6 + 3 / 6) / 2)
        assert [each.evaluations for each in (first, second, replaced, child)] == [3, 3, 1, 2]
        assert [each.last_return for each in (first, second, replaced, child)] == [15, 19, 2, 17]
        assert (child.gain, first.gain) == (17 - 10, None)
        assert (replaced.start_step, replaced.end_step, child.start_step, child.end_step) == (0, 1000, 1000, 3000)
        assert child.values == {"discount": 0.903}

    def test_who_diverges_is_last_and_then_counts_no_more(self, make_lineage, make_series):
        returns = make_series([1, 2, 3], [[5, 1, 1], [math.nan, 2, 3], [math.nan, 4, 4]])
        found = outcomes_of(make_lineage(3, [], end_step=3), returns)
        assert found[0].progress == pytest.approx((5 / 6 + 1 / 6) / 2)
        assert found[0].last_return is None
        assert found[1].progress == pytest.approx((2 / 6 + 3 / 6 + 3 / 4) / 3)

    def test_weights_from_nowhere_are_compared_only_among_themselves(self, make_lineage, make_series):
        lineage = make_lineage(3, [(1, 2, None)], end_step=2)
        found = outcomes_of(lineage, make_series([1, 2], [[1, 2, 3], [5, 3, 1]]))
        assert found[3].progress is None and found[3].standing == pytest.approx(1 / 6)
        assert found[0].progress == pytest.approx((1 / 6 + 3 / 4) / 2)
        all_drawn = make_lineage(2, [(1, 0, None), (1, 1, None)], end_step=2)
        found = outcomes_of(all_drawn, make_series([1, 2], [[1, 2], [5, 3]]))
        assert [each.progress for each in found[2:]] == [0.75, 0.25] and found[2].gain is None

    def test_before_any_evaluation(self, make_lineage):
        found = outcomes_of(make_lineage(2, []), None)
        assert [(each.progress, each.last_return, each.evaluations) for each in found] == [(None, None, 0)] * 2

    @settings(max_examples=50, deadline=None)
    @given(data=st.data())
    def test_every_evaluation_is_counted_once_and_progress_is_relative(self, draw_lineage, make_series, data):
        lineage = draw_lineage(data, odd=False)
        size, steps = lineage.population_size, list(range(50, 1001, 50))
        returns = np.random.default_rng(0).standard_normal((len(steps), size))
        found = outcomes_of(lineage, make_series(steps, returns.tolist()))
        assert sum(each.evaluations for each in found) == size * len(steps)
        if size > 1:
            total = sum(each.progress * each.evaluations for each in found if each.progress is not None)
            assert total == pytest.approx(size * len(steps) / 2)


class TestSelectionNoise:
    def test_ahead_by_one_error_of_the_difference(self):
        fitness, errors = np.array([10.0, 5.0]), np.array([3.0, 4.0])
        assert ahead_again(fitness, errors, 0, 1) == pytest.approx(0.8413447, abs=1e-6)
        assert ahead_again(fitness, np.zeros(2), 0, 1) == 1.0
        assert ahead_again(fitness, np.array([3.0, np.nan]), 0, 1) is None
        assert ahead_again(np.array([10.0, np.nan]), errors, 0, 1) == 1.0

    def test_chosen_again(self):
        certain = chosen_again(np.array([4.0, 3.0, 2.0, np.nan]), np.zeros(4), 2, 100, 0)
        assert certain.tolist() == [1, 1, 0, 0]
        lot = chosen_again(np.zeros(4), np.ones(4), 1, 40_000, 0)
        np.testing.assert_allclose(lot, 0.25, atol=0.01)
        # Of two, the best one again: the same question as who is ahead.
        pair = chosen_again(np.array([10.0, 5.0]), np.array([3.0, 4.0]), 1, 40_000, 0)
        assert pair[0] == pytest.approx(0.8413, abs=0.01)

    def test_of_a_lineage(self, copied, make_series):
        lineage, returns = copied
        errors = make_series([1000, 2000, 3000], [[6, 1, 0], [1, 1, 1], [1, 1, 1]])
        (noise,) = donor_noise(lineage, returns, errors, donors=1)
        assert (noise.step, noise.member, noise.donor, noise.span) == (1000, 2, 0, 3)
        assert noise.ahead_again == pytest.approx(0.5 * (1 + math.erf(8 / 6 / math.sqrt(2))))
        # Only slot 1 can be ahead of it: 10 ± 6 beside 8 ± 1.
        assert noise.donor_again == pytest.approx(0.5 * (1 + math.erf(2 / math.sqrt(37) / math.sqrt(2))), abs=0.06)

    def test_unknown_errors(self, copied, make_series):
        lineage, returns = copied
        single = make_series([1000], [[math.nan] * 3])  # evaluations of a single episode
        for errors in (None, single):
            (noise,) = donor_noise(lineage, returns, errors, donors=1)
            assert (noise.donor_again, noise.ahead_again) == (None, None)


def run_of(lineage, series=None, id=1, donors=1):
    return ExplainedRun(id, lineage, series or {}, donors)


class TestExplanation:
    def test_nothing_yet(self, make_lineage):
        found = explain([run_of(make_lineage(2, [], spans=[], end_step=0))])
        assert (found.observed, found.needed, found.spans, found.explained) == (0, 20, [], None)
        (discount,) = found.hyperparams
        assert (discount.importance, discount.levels, discount.bound) == (None, [], None)
        assert (found.noise.copies, found.noise.donor_again, found.noise.chance) == (0, None, None)

    def test_fitness_that_is_no_return_is_what_was_selected_by(self, copied, make_series):
        lineage, returns = copied
        flat, error = make_series([1000], [[1, 1, 1]]), make_series([1000], [[1, 1, 1]])
        series = {"evaluation/return": returns, "evaluation/return_stderr": make_series([1000], [[0, 0, 0]])}
        assert explain([run_of(lineage, series)]).noise.donor_again == 1
        series |= {"evaluation/fitness": flat, "evaluation/fitness_stderr": error}
        found = explain([run_of(lineage, series)]).noise
        assert found.ahead_again == 0.5 and found.donor_again == pytest.approx(1 / 3, abs=0.06)
        assert (found.copies, found.known, found.chance) == (1, 1, pytest.approx(1 / 3))

    def test_a_value_that_matters(self, make_lineage, make_series):
        """Twenty-four members keep their discounts; those in the middle third improve by two at a time."""
        values = {slot: {"discount": 0.9 + slot / 240} for slot in range(24)}
        speed = np.array([1.0 + (8 <= slot < 16) for slot in range(24)])
        noise = np.random.default_rng(0).standard_normal((20, 24)) * 0.1
        series = {"evaluation/return": make_series(range(1, 21), np.cumsum(speed + noise, axis=0).tolist())}
        found = explain([run_of(make_lineage(24, [], end_step=20, values=values), series)])
        (discount,) = found.hyperparams
        assert (found.observed, found.unit) == (24, DrawnUnit.SPAN)
        assert discount.importance is not None and discount.importance.low > 0.5
        assert [level.spans for level in discount.levels] == [8, 8, 8]
        assert discount.levels[1].progress > 0.8 > 0.5 > discount.levels[0].progress
        assert discount.levels[1].low == pytest.approx(0.9 + 8 / 240)

    def test_at_a_bound(self, make_lineage):
        values = {0: {"discount": 1.0}, 1: {"discount": 1.0}, 2: {"discount": 0.95}}
        (discount,) = explain([run_of(make_lineage(3, [], values=values))]).hyperparams
        assert (discount.at_high, discount.at_low, discount.bound) == (pytest.approx(2 / 3), 0, BoundSide.HIGH)

    def test_pooled_runs_have_what_all_of_them_tune(self, make_lineage):
        rate = {"name": "rate", "scale": "log", "low": 1e-5, "high": 1e-3, "names": None, "read": "training"}
        one = make_lineage(2, [])
        wider = one.tuned[0].model_dump() | {"low": 0.5}
        other = make_lineage(2, [], tuned=[wider, rate])
        found = explain([run_of(one, id=1), run_of(other, id=2, donors=None)])
        (discount,) = found.hyperparams
        assert (discount.tuned.name, discount.tuned.low, discount.tuned.high) == ("discount", 0.5, 1.0)
        # The first run's smallest value is at its own bound; the second's bound is another.
        assert discount.at_low == pytest.approx(1 / 4)
        assert found.run_ids == [1, 2] and [span.run_id for span in found.spans] == [1, 1, 2, 2]

    def test_many_runs_are_drawn_whole(self, make_lineage):
        assert explain([run_of(make_lineage(2, []), id=id) for id in range(8)]).unit is DrawnUnit.RUN


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"name": "truncation", "top": 0.25}, 2),
        ({"name": "winner_takes_all"}, 1),
        ({"name": "binary_tournament"}, None),
    ],
)
def test_donors_follow_from_the_spec(selection, expected):
    spec = parse_spec(
        {
            "version": 2,
            "name": "explained",
            "environment": "Pendulum-v1",
            "algorithm": {"name": "td3", "discount": {"uniform": [0.9, 1.0]}},
            "population": {"size": 8, "method": {"name": "pbt", "interval": 1000, "selection": selection}},
            "budget": {"env_steps": 10_000},
        }
    )
    assert donors_of(spec) == expected
