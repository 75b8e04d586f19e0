"""Limits of a run beside its steps, and selection by the clock."""

from typing import Any

import pytest

from phylon.spec import SpecInvalid
from phylon.spec.resolve import resolve

PENDULUM: dict[str, Any] = {
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": "td3",
    "population": 4,
}


def problems(document: dict[str, Any]) -> list[str]:
    with pytest.raises(SpecInvalid) as caught:
        resolve(document)
    return [problem["path"] for problem in caught.value.problems]


def with_method(**fields: Any) -> dict[str, Any]:
    return PENDULUM | {"budget": "100k", "population": {"size": 4, "method": fields}}


class TestLimits:
    def test_as_people_write_them(self):
        budget = {"env_steps": "1M", "seconds": "2h", "target_return": "-1.5e2", "plateau": 20}
        spec, notes = resolve(PENDULUM | {"budget": budget})
        assert (spec.budget.env_steps, spec.budget.seconds, spec.budget.target_return) == (1_000_000, 7200, -150)
        assert (spec.budget.plateau.evaluations, spec.budget.plateau.improvement) == (20, 0)
        assert [note["path"] for note in notes] == ["budget.seconds"] and "repeated" in notes[0]["message"]

    def test_left_out_there_are_none(self):
        spec, notes = resolve(PENDULUM | {"budget": "100k"})
        assert (spec.budget.seconds, spec.budget.target_return, spec.budget.plateau) == (None, None, None)
        assert notes == []

    def test_other_limits_change_no_length(self):
        budgets = {"env_steps": "100k"}, {"env_steps": "100k", "seconds": 60}
        plain, limited = (resolve(PENDULUM | {"budget": budget}).spec for budget in budgets)
        assert limited.model_dump(exclude={"budget"}) == plain.model_dump(exclude={"budget"})

    @pytest.mark.parametrize("budget", ["2h", {"seconds": "2h"}, {"target_return": 1}])
    def test_steps_are_needed(self, budget: Any):
        assert problems(PENDULUM | {"budget": budget}) == ["budget.env_steps"]

    @pytest.mark.parametrize(
        ("limit", "path"),
        [
            ({"seconds": 0}, "budget.seconds"),
            ({"seconds": "soon"}, "budget.seconds"),
            ({"target_return": float("inf")}, "budget.target_return"),
            ({"plateau": 0}, "budget.plateau.evaluations"),
            ({"plateau": {"improvement": 1}}, "budget.plateau.evaluations"),
            ({"plateau": {"evaluations": 5, "improvement": -1}}, "budget.plateau.improvement"),
        ],
    )
    def test_limits_that_make_no_sense(self, limit: dict[str, Any], path: str):
        assert problems(PENDULUM | {"budget": {"env_steps": "10k"} | limit}) == [path]


class TestIntervalsInSeconds:
    @pytest.mark.parametrize("fields", [{"interval": "10m"}, {"interval": 600, "unit": "seconds"}])
    def test_two_ways_to_write_one_thing(self, fields: dict[str, Any]):
        spec, notes = resolve(with_method(name="pbt", burn_in="1h" if "unit" not in fields else 3600, **fields))
        method = spec.population.method
        assert (method.interval, method.unit, method.burn_in) == (600, "seconds", 3600)
        assert [note["path"] for note in notes] == ["population.method.interval"]

    def test_a_resolved_spec_resolves_to_itself(self):
        spec, notes = resolve(with_method(interval="90s"))
        assert resolve(spec.model_dump(mode="json")) == (spec, notes)

    def test_left_out(self):
        assert resolve(with_method(unit="seconds")).spec.population.method.interval == 60
        timed = with_method(unit="seconds") | {"budget": {"env_steps": "100k", "seconds": "2h"}}
        assert resolve(timed).spec.population.method.interval == 360

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"interval": "60s", "unit": "updates"}, "population.method.interval"),
            ({"interval": "0.5s"}, "population.method.interval"),
            ({"interval": 1000, "burn_in": "1h"}, "population.method.burn_in"),
            ({"name": "pb2_mix", "interval": "60s"}, "population.method.unit"),
        ],
    )
    def test_what_does_not_fit(self, fields: dict[str, Any], path: str):
        assert problems(with_method(**fields)) == [path]
