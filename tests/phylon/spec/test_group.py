"""Groups: what they unfold to, and where their problems are said to be."""

import copy
from typing import Any

import pytest

from phylon.spec import (
    Group,
    SpecInvalid,
    group_to_yaml,
    parse_document,
    parse_group,
    parse_spec,
    read_yaml,
    resolve_document,
)
from phylon.spec.group import LARGEST_GROUP

BASE = ("environment", "algorithm", "population", "replay", "budget", "evaluation")


@pytest.fixture
def group(raw: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": 2,
        "name": "both",
        "description": "Two of them.",
        "kind": "group",
        "base": {name: raw[name] for name in BASE},
        "experiments": {
            "short": {"budget.env_steps": 5000, "algorithm.discount": {"choice": [0.9, 0.99]}},
            "long": {"seed": 7, "algorithm.network.hidden": [8, 8]},
        },
    }


def problems(group: Any) -> dict[str, str]:
    with pytest.raises(SpecInvalid) as caught:
        parse_group(group)
    assert all(p["message"] and p["remedy"] != "correct the value" for p in caught.value.problems)
    assert len({p["path"] for p in caught.value.problems}) == len(caught.value.problems)
    return {p["path"]: f"{p['message']} ({p['remedy']})" for p in caught.value.problems}


def test_each_experiment_is_the_base_with_its_own_changes(group: dict[str, Any], raw: dict[str, Any]):
    before = copy.deepcopy(group)
    parsed = parse_group(group)
    assert list(parsed.experiments) == ["short", "long"]
    short, long = parsed.experiments.values()
    assert (short.name, short.budget.env_steps, short.seed, short.description) == (
        "both-short",
        5000,
        0,
        "Two of them.",
    )
    assert short.algorithm.discount.model_dump() == {"choice": (0.9, 0.99)}
    written_out = raw | {"name": "both-long", "description": "Two of them.", "seed": 7}
    written_out["algorithm"] = raw["algorithm"] | {"network": {"hidden": [8, 8]}}
    assert long == parse_spec(written_out)
    assert group == before, "reading must not change what was read"


def test_a_group_survives_being_written(group: dict[str, Any]):
    parsed = parse_group(group)
    assert parse_document(read_yaml(group_to_yaml(parsed))) == parsed


def test_a_document_is_what_its_kind_says(group: dict[str, Any], raw: dict[str, Any]):
    assert isinstance(parse_document(group), Group)
    assert parse_document(raw) == parse_spec(raw)
    with pytest.raises(SpecInvalid):
        parse_document([group])


def test_a_problem_of_the_base_is_said_once(group: dict[str, Any]):
    group["base"]["population"] = {"size": 0, "method": {"name": "pbt", "interval": 2000}}
    group["base"]["surprise"] = 1
    assert set(problems(group)) == {"base.population.size", "base.surprise"}


def test_a_problem_of_one_experiment_is_said_there(group: dict[str, Any]):
    group["experiments"]["short"] = {"environment.id": "Pendulim-v1"}
    group["experiments"]["long"] = {"environment.id": "CartPole-v1", "replay.warmup": 10_000}
    found = problems(group)
    assert "did you mean Pendulum-v1" in found["experiments.short.environment.id"]
    assert "td3 needs continuous actions" in found["experiments.long.algorithm.name"]
    assert "random actions" in found["experiments.long.replay.warmup"]
    assert not any(path.startswith("base") for path in found)


def test_notes_are_placed_where_they_belong(group: dict[str, Any]):
    group["base"]["evaluation"]["interval"] = 990
    group["base"]["execution"] = {"segment_steps": 50}
    group["experiments"] = {"a": {"replay.warmup": 1020}, "b": {}}
    notes = {note["path"]: note["message"] for note in resolve_document(group).notes}
    assert set(notes) == {"base.evaluation.interval", "experiments.a.replay.warmup"}
    assert "1,000 is used" in notes["base.evaluation.interval"]


def test_paths_lead_into_the_short_forms_of_the_base(group: dict[str, Any]):
    group["base"] |= {"environment": "Pendulum-v1", "population": 4}
    group["experiments"] = {"a": {"environment.envs_per_member": 2, "population.method.interval": "2k"}}
    spec = parse_group(group).experiments["a"]
    assert (spec.environment.envs_per_member, spec.population.method.interval) == (2, 2000)


def test_the_same_mistake_in_every_experiment_is_theirs(group: dict[str, Any]):
    group["experiments"] = {name: {"seed": -1} for name in ("a", "b")}
    assert set(problems(group)) == {"experiments.a.seed", "experiments.b.seed"}


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"experiments": {}}, "experiments", "at least 1"),
        ({"experiments": {str(n): {} for n in range(LARGEST_GROUP + 1)}}, "experiments", "give at most 200"),
        ({"experiments": {"a.b": {}}}, "experiments.a.b", "use letters, digits, '_' and '-'"),
        ({"experiments": {"a" * 60: {}}}, "experiments." + "a" * 60, "at most 59"),
        ({"experiments": {"a": 3}}, "experiments.a", "write a mapping"),
        ({"experiments": {"a": {"name": "b"}}}, "experiments.a.name", "leave it out"),
        ({"experiments": {"a": {"seed.x": 1}}, "base": {"seed": 3}}, "experiments.a.seed.x", "set seed as a whole"),
        ({"experiments": {"a": {"algorithm..x": 1}}}, "experiments.a.algorithm..x", "with a dot between them"),
        ({"base": None}, "base", "write a mapping"),
        ({"name": "a" * 41}, "name", "at most 40"),
        ({"version": 9}, "version", "upgrade Phylon"),
        ({"environments": ["Pendulum-v1"]}, "environments", "did you mean 'experiments'?"),
    ],
)
def test_what_is_no_group(group: dict[str, Any], change: dict[str, Any], path: str, words: str):
    found = problems(group | change)
    assert words in found[path]


@pytest.mark.parametrize("name", ["version", "kind", "name"])
def test_the_base_leaves_to_the_group_what_the_group_says(group: dict[str, Any], name: str):
    group["base"][name] = 1
    assert "leave it out" in problems(group)[f"base.{name}"]


def test_a_self_containing_base_is_refused(group: dict[str, Any]):
    group["base"]["replay"] = group["base"]
    assert any(path.startswith("base.replay") for path in problems(group))
