"""Sources of fitness: what may be written, and what is refused because it could not be measured."""

from typing import Any

import pytest

from phylon.spec import SpecInvalid
from phylon.spec.fitness import MetricSource
from phylon.spec.resolve import resolve

PENDULUM = {"suite": "gymnasium", "id": "Pendulum-v1"}


def document(fitness: Any, environment: Any = PENDULUM, algorithm: str = "td3", **method: Any) -> dict[str, Any]:
    population = {"size": 4, "method": {"name": "pbt", "fitness": fitness} | method}
    return {"environment": environment, "algorithm": algorithm, "population": population, "budget": "100k"}


def problems(written: dict[str, Any]) -> list[str]:
    with pytest.raises(SpecInvalid) as caught:
        resolve(written)
    return [problem["path"] for problem in caught.value.problems]


def test_evaluations_are_the_default():
    assert resolve(document("mean")).spec.population.method.fitness.of == "evaluation"


@pytest.mark.parametrize("of", ["training", {"metric": "evaluation/length", "higher": False}])
def test_a_source_alone_is_the_latest_value(of: Any):
    spec, notes = resolve(document({"of": of}))
    fitness = spec.population.method.fitness
    assert fitness.name == "last" and notes == []
    assert fitness.of == (of if isinstance(of, str) else MetricSource(metric="evaluation/length", higher=False))
    assert resolve(spec.model_dump(mode="json")) == (spec, [])


def test_a_test_needs_levels():
    assert resolve(document({"of": "test"}, "BigfishEasy-v0", "ppo")).spec.population.method.fitness.of == "test"
    all_levels = {"suite": "envpool", "id": "BigfishEasy-v0", "procgen": {"levels": 0}}
    assert problems(document({"of": "test"}, all_levels, "ppo")) == ["population.method.fitness.of"]
    assert problems(document({"of": "test"})) == ["population.method.fitness.of"]


@pytest.mark.parametrize(
    ("fitness", "method", "path"),
    [
        ({"of": "luck"}, {}, "population.method.fitness.of"),
        ({"of": {"metric": "luck"}}, {}, "population.method.fitness.of.metric"),
        ({"of": {"higher": True}}, {}, "population.method.fitness.of.metric"),
        ({"of": "training"}, {"selection": "t_test"}, "population.method.selection.name"),
        ({"of": "training"}, {"name": "cem_rl"}, "population.method.fitness.of"),
    ],
)
def test_refused(fitness: Any, method: dict[str, Any], path: str):
    assert problems(document(fitness, **method)) == [path]
