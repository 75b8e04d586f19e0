"""Values at a bound, by hand."""

import pytest

from phylon.contract.explanations import BoundSide, SpanOutcome
from phylon.contract.lineage import Tuned
from phylon.explain.bounds import AtBounds, at_bounds, place_in_range


def tuned(scale: str, low: float, high: float) -> Tuned:
    return Tuned.model_validate(
        {"name": "rate", "scale": scale, "low": low, "high": high, "names": None, "read": "training"}
    )


def span(start: int, end: int, value: float) -> SpanOutcome:
    unknown = dict.fromkeys(("run_id", "last_return", "gain", "standing", "progress"))
    return SpanOutcome.model_validate(
        unknown
        | {"span": 0, "member": 0, "start_step": start, "end_step": end, "values": {"rate": value}, "evaluations": 0}
    )


def test_places_on_their_scale():
    assert place_in_range(0.95, tuned("linear", 0.9, 1.0)) == pytest.approx(0.5)
    assert place_in_range(1e-4, tuned("log", 1e-5, 1e-3)) == pytest.approx(0.5)
    assert place_in_range(3, tuned("integer", 1, 5)) == 0.5


def test_steps_at_each_bound():
    spans = [span(0, 100, 1e-5), span(100, 400, 1.02e-5), span(0, 350, 1e-3), span(350, 400, 1e-4)]
    found = at_bounds(spans, tuned("log", 1e-5, 1e-3))
    assert found == AtBounds(low=400, high=350, total=800)
    assert found.side() is None  # half is not most


def test_most_of_the_run_at_one_bound():
    found = at_bounds([span(0, 300, 0.9000001), span(300, 400, 0.95)], tuned("linear", 0.9, 1.0))
    assert (found.low, found.total, found.side()) == (300, 400, BoundSide.LOW)
    assert at_bounds([span(0, 10, 5)], tuned("integer", 1, 5)).side() is BoundSide.HIGH


def test_choices_have_no_beyond():
    assert at_bounds([span(0, 300, 1.0)], tuned("choice", 1.0, 3.0)) == AtBounds(0, 0, 300)
