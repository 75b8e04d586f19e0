"""Toys and their environments belong together, and a population without selection has to explore."""

from typing import Any

import pytest

from phylon.spec import SpecInvalid, parse_spec, segment_steps

FIGURE2 = {"suite": "toy", "id": "Figure2-v0"}
ASCENT = {"name": "surrogate_ascent", "weight_0": {"uniform": [0.0, 1.0]}}
PENDULUM = {"suite": "gymnasium", "id": "Pendulum-v1"}


@pytest.fixture
def toy(raw: dict[str, Any]) -> dict[str, Any]:
    del raw["replay"]
    return raw | {"environment": FIGURE2, "algorithm": ASCENT}


def problems(raw: dict[str, Any]) -> list[Any]:
    with pytest.raises(SpecInvalid) as caught:
        parse_spec(raw)
    return caught.value.problems


def test_a_step_is_an_update(toy: dict[str, Any]):
    spec = parse_spec(toy)
    assert segment_steps(spec) == 1
    assert spec.replay is None and spec.execution.segment_steps is None


@pytest.mark.parametrize("environment", [PENDULUM, {"suite": "toy", "id": "TriangleWave-v0"}])
def test_a_toy_climbs_nothing_else(toy: dict[str, Any], environment: dict[str, Any]):
    [problem] = problems(toy | {"environment": environment})
    assert problem["path"] == "algorithm.name" and problem["value"] == "surrogate_ascent"
    assert "environment: {suite: toy, id: Figure2-v0}" in problem["remedy"]


@pytest.mark.parametrize("algorithm", ["td3", "ppo", "dqn"])
def test_nobody_else_plays_with_toys(toy: dict[str, Any], algorithm: str):
    found = {problem["path"]: problem for problem in problems(toy | {"algorithm": {"name": algorithm}})}
    assert "use the algorithm surrogate_ascent" in found["environment.suite"]["remedy"]
    assert "algorithm.name" not in found and "environment.id" not in found


def test_a_toy_has_no_replay_and_no_segments(toy: dict[str, Any]):
    found = {
        problem["path"]
        for problem in problems(toy | {"replay": {}, "execution": {"segment_steps": 50, "overlap": True}})
    }
    assert found == {"replay", "execution.segment_steps", "execution.overlap"}


def test_an_unknown_toy_is_named(toy: dict[str, Any]):
    paths = [problem["path"] for problem in problems(toy | {"environment": {"suite": "toy", "id": "Figure3-v0"}})]
    assert "environment.id" in paths


def test_a_toy_cannot_be_reset(toy: dict[str, Any]):
    [problem] = problems(toy | {"resets": {"interval": 10}})
    assert problem["path"] == "resets"


@pytest.mark.parametrize("method", [{"name": "pbt"}, {"name": "pbt", "explorers": "children"}, {"name": "no_op"}])
def test_without_selection_somebody_has_to_explore(raw: dict[str, Any], method: dict[str, Any]):
    raw["population"]["method"] = method | {"interval": 2000, "selection": {"name": "none"}}
    [problem] = problems(raw)
    assert problem["path"] == "population.method.selection.name"
    assert "explorers: everyone" in problem["remedy"]


def test_everyone_may_explore_without_selection(raw: dict[str, Any]):
    raw["population"]["method"] |= {"selection": {"name": "none"}, "explorers": "everyone"}
    assert parse_spec(raw).population.method.selection.name == "none"
